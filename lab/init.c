// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of the lab's guests: makes the place habitable, loads modules, runs
 * one command and hands its output and its end to the host.
 *
 * What it is told (files that lab/lib/initramfs.sh writes):
 *   /lab/modules	a line each: path, a space, parameters
 *   /lab/command	the arguments, each ended by NUL; without this file
 *			a shell runs on the second serial port
 *
 * What it tells (virtio-serial ports, by name):
 *   stdout, stderr	the command's output, unchanged
 *   verdict		"exit N\n" when the command ended, or "error TEXT\n" when
 *			it could not be started as asked. It is written last; with
 *			none, the host counts the machine as lost.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT_DEADLINE_S 30
#define SHELL_TTY	"/dev/ttyS1"

static int verdict_fd = -1;

/* One write is one line. No stdio: kmsg refuses the seek that it begins with. */
static void log_line(const char *text)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	char line[600];

	snprintf(line, sizeof(line), "<5>lab: %s\n", text);
	if (fd < 0)
		return;
	write(fd, line, strlen(line));
	close(fd);
}

static void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	/* Only a kernel without power management comes back here. */
	reboot(RB_AUTOBOOT);
}

static void fail(const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	log_line(text);
	if (verdict_fd >= 0)
		dprintf(verdict_fd, "error %s\n", text);
	power_off();
}

static void mount_filesystems(void)
{
	static const struct {
		const char *type, *path;
	} table[] = {
		{ "devtmpfs", "/dev" },
		{ "proc", "/proc" },
		{ "sysfs", "/sys" },
		{ "devpts", "/dev/pts" },
		{ "tmpfs", "/dev/shm" },
		{ "tmpfs", "/tmp" },
		{ "tmpfs", "/run" },
		{ "cgroup2", "/sys/fs/cgroup" },
		{ "bpf", "/sys/fs/bpf" },
		{ "debugfs", "/sys/kernel/debug" },
		{ "tracefs", "/sys/kernel/tracing" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		mkdir(table[i].path, 0755);
		if (mount(table[i].type, table[i].path, table[i].type, 0,
			  NULL) &&
		    errno != EBUSY)
			fail("cannot mount %s: %m", table[i].path);
	}
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

/* One at a time: a controller that a kernel lacks must not stop the others. */
static void enable_controllers(void)
{
	static const char *const names[] = {
		"+cpu", "+memory", "+cpuset", "+pids", "+io",
	};
	int fd = open("/sys/fs/cgroup/cgroup.subtree_control",
		      O_WRONLY | O_CLOEXEC);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (write(fd, names[i], strlen(names[i])) < 0)
			log_line(names[i]);
	}
	close(fd);
}

static void bring_up_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		fail("cannot bring up lo: %m");
	close(fd);
}

/* The port's device, or -1 while the driver has not made it. */
static int port_try(const char *name)
{
	DIR *dir = opendir("/sys/class/virtio-ports");
	char path[512], found[64];
	struct dirent *entry;
	int fd = -1;

	while (dir && fd < 0 && (entry = readdir(dir))) {
		FILE *file;

		snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name",
			 entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fscanf(file, "%63s", found) == 1 && !strcmp(found, name)) {
			snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
			fd = open(path, O_WRONLY | O_CLOEXEC);
		}
		fclose(file);
	}
	if (dir)
		closedir(dir);
	return fd;
}

/* Ports appear from a kernel worker, some time after the driver's probe. */
static int port_open(const char *name)
{
	const struct timespec interval = { .tv_nsec = 5000000 };
	struct timespec now, start;
	int fd;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while ((fd = port_try(name)) < 0) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > start.tv_sec + PORT_DEADLINE_S)
			fail("no port '%s'", name);
		nanosleep(&interval, NULL);
	}
	return fd;
}

static void load_module(const char *path, const char *parameters)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, parameters, 0))
		fail("module %s does not load: %m", strrchr(path, '/') + 1);
	close(fd);
}

static void load_modules(void)
{
	FILE *file = fopen("/lab/modules", "re");
	char line[4096];

	while (file && fgets(line, sizeof(line), file)) {
		char *parameters = strchr(line, ' ');

		line[strcspn(line, "\n")] = '\0';
		*parameters++ = '\0';
		load_module(line, parameters);
	}
	if (file)
		fclose(file);
}

/* The command's arguments, or NULL for a shell. */
static char **read_command(void)
{
	FILE *file = fopen("/lab/command", "re");
	char **arguments = NULL, *argument = NULL;
	size_t count = 0, size = 0;

	if (!file)
		return NULL;
	while (getdelim(&argument, &size, '\0', file) >= 0) {
		arguments = realloc(arguments, (count + 4) * sizeof(char *));
		arguments[count++] = argument;
		argument = NULL;
		size = 0;
	}
	fclose(file);
	arguments[count] = NULL;
	if (count == 1 && strchr(arguments[0], ' ')) {
		arguments[2] = arguments[0];
		arguments[0] = "sh";
		arguments[1] = "-c";
		arguments[3] = NULL;
	}
	return arguments;
}

/* Returns in the child of a new session, with default signals. */
static pid_t start_child(void)
{
	sigset_t none;
	pid_t pid = fork();

	if (pid < 0)
		fail("cannot fork: %m");
	if (pid)
		return pid;
	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	chdir("/lab");
	return 0;
}

static void exec_command(char **arguments)
{
	execvp(arguments[0], arguments);
	fprintf(stderr, "lab: %s: %m\n", arguments[0]);
	_exit(errno == ENOENT ? 127 : 126);
}

static void write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t done = write(fd, data, size);

		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (done > 0) {
			data += done;
			size -= done;
		}
	}
}

/* Move what is there now; false at the end of the stream. */
static bool copy_available(int from, int to)
{
	static char buffer[65536];
	ssize_t size;

	while ((size = read(from, buffer, sizeof(buffer))) > 0)
		write_all(to, buffer, size);
	return size < 0 && (errno == EAGAIN || errno == EINTR);
}

/* PID 1 also reaps strangers. True when CHILD is among the dead. */
static bool reap(pid_t child, int *ret_status)
{
	bool found = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != child)
			continue;
		found = true;
		*ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
						    WEXITSTATUS(status);
	}
	return found;
}

/*
 * Copy output until CHILD ends. Whatever it left running is killed then, so
 * that what the pipes still hold is the end of the output. Pipes lie between,
 * because a port cannot be opened twice, as /dev/stdout would.
 */
static int pump(pid_t child, int signals, const int from[2], const int to[2])
{
	struct pollfd polls[3] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = from[0], .events = POLLIN },
		{ .fd = from[1], .events = POLLIN },
	};
	struct signalfd_siginfo info;
	int status = 0;

	for (;;) {
		poll(polls, 3, -1);
		for (int i = 0; i < 2; i++) {
			if (polls[i + 1].revents &&
			    !copy_available(from[i], to[i]))
				polls[i + 1].fd = -1;
		}
		if (polls[0].revents &&
		    read(signals, &info, sizeof(info)) > 0 &&
		    reap(child, &status))
			break;
	}
	kill(-1, SIGKILL);
	for (int i = 0; i < 2; i++)
		copy_available(from[i], to[i]);
	return status;
}

static int run_command(char **arguments, int signals)
{
	int out[2], err[2];
	const int to[2] = { port_open("stdout"), port_open("stderr") };
	pid_t child;

	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		fail("cannot make pipes: %m");
	child = start_child();
	if (!child) {
		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		exec_command(arguments);
	}
	close(out[1]);
	close(err[1]);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	return pump(child, signals, (int[]){ out[0], err[0] }, to);
}

static int run_shell(int signals)
{
	char *arguments[] = { "sh", "-l", NULL };
	struct signalfd_siginfo info;
	pid_t child = start_child();
	int status = 0;

	if (!child) {
		/* Being the leader of its session, it becomes the terminal. */
		int fd = open(SHELL_TTY, O_RDWR);

		for (int i = 0; i < 3; i++)
			dup2(fd, i);
		exec_command(arguments);
	}
	while (read(signals, &info, sizeof(info)) < 0 || !reap(child, &status))
		;
	return status;
}

static int watch_children(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void set_environment(void)
{
	setenv("PATH", "/lab/bin:/bin:/sbin:/usr/bin:/usr/sbin", 1);
	setenv("HOME", "/root", 1);
	umask(022);
}

int main(void)
{
	char **command;
	int signals, status;

	mount_filesystems();
	verdict_fd = port_open("verdict");
	enable_controllers();
	bring_up_loopback();
	set_environment();
	load_modules();
	command = read_command();
	signals = watch_children();
	log_line("command starts");
	status = command ? run_command(command, signals) : run_shell(signals);
	log_line("command ended");
	dprintf(verdict_fd, "exit %d\n", status);
	power_off();
	return 0;
}
