// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fs.h"
#include "text.h"

/* The largest file that the tool reads, memory.stat, has a few kB. */
#define FILE_MAX (16u << 20)

static const char *fs_root = "";

void fs_set_root(const char *root)
{
	fs_root = root ? root : "";
}

void fs_text_release(struct fs_text *text)
{
	free(text->data);
	memset(text, 0, sizeof(*text));
}

static int path_open(const char *path, int flags)
{
	AUTO_FREE char *full = NULL;
	int fd;

	if (asprintf(&full, "%s%s", fs_root, path) < 0) {
		full = NULL;
		return -ENOMEM;
	}
	fd = open(full, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

bool fs_exists(const char *path)
{
	AUTO_CLOSE int fd = path_open(path, O_PATH);

	return fd >= 0;
}

static int text_grow(struct fs_text *text)
{
	size_t size = text->size ? 2 * text->size : 4096;
	char *data;

	if (size > FILE_MAX)
		return -EFBIG;
	data = realloc(text->data, size);
	if (!data)
		return -ENOMEM;
	text->data = data;
	text->size = size;
	return 0;
}

static int read_all(int fd, struct fs_text *text)
{
	ssize_t got;
	int ret;

	text->len = 0;
	do {
		if (text->len + 1 >= text->size) {
			ret = text_grow(text);
			if (ret)
				return ret;
		}
		got = read(fd, text->data + text->len,
			   text->size - text->len - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		text->len += got;
	} while (got);
	text->data[text->len] = '\0';
	return 0;
}

int fs_read(const char *path, struct fs_text *text)
{
	AUTO_CLOSE int fd = path_open(path, O_RDONLY | O_NONBLOCK);

	return fd < 0 ? fd : read_all(fd, text);
}

int fs_read_at(int dir, const char *name, struct fs_text *text)
{
	AUTO_CLOSE int fd = openat(
		dir, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : read_all(fd, text);
}

int fs_read_word(const char *path, char **ret_word)
{
	AUTO_TEXT struct fs_text text = {};
	int ret = fs_read(path, &text);

	if (ret)
		return ret;
	text_chomp(text.data);
	*ret_word = take_ptr(text.data);
	return 0;
}

int fs_read_u64(const char *path, uint64_t *ret_value)
{
	AUTO_FREE char *word = NULL;
	int ret = fs_read_word(path, &word);

	if (ret)
		return ret;
	return text_parse_u64((struct span){ word, strlen(word) }, ret_value);
}

int64_t fs_read_number(const char *path)
{
	uint64_t value;

	if (fs_read_u64(path, &value) || value > INT64_MAX)
		return -1;
	return value;
}

int fs_write_at(int dir, const char *name, const char *text)
{
	AUTO_CLOSE int fd =
		openat(dir, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
	size_t len = strlen(text);
	ssize_t put;

	if (fd < 0)
		return -errno;
	do {
		put = write(fd, text, len);
	} while (put < 0 && errno == EINTR);
	if (put < 0)
		return -errno;
	return (size_t)put == len ? 0 : -EIO;
}

int fs_open_dir(const char *path)
{
	return path_open(path, O_PATH | O_DIRECTORY);
}

int fs_open_dir_at(int dir, const char *name)
{
	int fd = openat(dir, name,
			O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int fs_list_at(int dir, DIR **ret_dir)
{
	AUTO_CLOSE int fd =
		openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list;

	if (fd < 0)
		return -errno;
	list = fdopendir(fd);
	if (!list)
		return -errno;
	take_fd(&fd);
	*ret_dir = list;
	return 0;
}
