// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "test.h"
#include "tool.h"

static char output[16384];

int tool(const char *arguments, ...)
{
	char line[512] = "numab ";
	size_t used = strlen(line), n;
	va_list args;
	FILE *pipe;
	int status;

	va_start(args, arguments);
	vsnprintf(line + used, sizeof(line) - used, arguments, args);
	va_end(args);
	strncat(line, " 2>&1", sizeof(line) - strlen(line) - 1);
	fflush(stdout);
	pipe = popen(line, "r");
	if (!pipe)
		die("cannot run %s", line);
	n = fread(output, 1, sizeof(output) - 1, pipe);
	output[n] = '\0';
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

const char *tool_output(void)
{
	return output;
}

long long tool_number(const char *word)
{
	const char *at = strstr(output, word);

	if (!at)
		return -1;
	at += strlen(word);
	return strtoll(at + strspn(at, " \":"), NULL, 10);
}
