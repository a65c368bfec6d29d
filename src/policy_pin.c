// SPDX-License-Identifier: GPL-2.0
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "policy_pin.h"
#include "text.h"

#define BPF_FS	     "/sys/fs/bpf"
#define BPF_FS_MAGIC 0xcafe4a11

/* The maps of what is to replace it; bpffs takes no dot in a name. */
#define NEW_MAPS "maps_new"

/* The kernel's value of a struct_ops map: its own part, a cache line, first. */
struct value {
	char common[64];
	uint64_t prog_id;
	uint64_t cgroup_id;
	uint32_t may_enable;
	uint32_t flags;
	char name[POLICY_NAME_MAX + 1];
	char rest[8]; /* up to the next cache line */
} __attribute__((aligned(64)));

void policies_release(struct policies *policies)
{
	for (size_t i = 0; i < policies->count; i++)
		free(policies->items[i].pin);
	free(policies->items);
	memset(policies, 0, sizeof(*policies));
}

char *policy_path(const char *name, const char *file)
{
	return text_format(POLICY_DIR "/%s%s%s", name, file ? "/" : "",
			   file ? file : "");
}

/* ---- reading ---- */

/* Is a map's type the module's? */
static bool is_ours(const struct bpf_map_info *info)
{
	struct bpf_btf_info btf = {};
	char name[32] = "";
	__u32 len = sizeof(btf);
	AUTO_CLOSE int fd = -1;

	if (info->type != BPF_MAP_TYPE_STRUCT_OPS || !info->btf_vmlinux_id)
		return false;
	fd = bpf_btf_get_fd_by_id(info->btf_vmlinux_id);
	btf.name = (uintptr_t)name;
	btf.name_len = sizeof(name);
	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &btf, &len) &&
	       !strcmp(name, "numab");
}

/* What a map says of its policy. -ENOENT: it is none of numab's. */
static int read_map(uint32_t id, struct policy *policy)
{
	struct bpf_map_info info = {};
	struct value value = {};
	__u32 len = sizeof(info), zero = 0;
	AUTO_CLOSE int fd = bpf_map_get_fd_by_id(id);

	if (fd < 0)
		return -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	if (!is_ours(&info))
		return -ENOENT;
	policy->map_id = id;
	policy->is_foreign = info.value_size != sizeof(value);
	if (policy->is_foreign) {
		memcpy(policy->name, info.name, sizeof(info.name));
		return 0;
	}
	if (bpf_map_lookup_elem(fd, &zero, &value))
		return -errno;
	policy->prog_id = value.prog_id;
	policy->cgroup_id = value.cgroup_id;
	policy->may_enable = value.may_enable;
	policy->flags = value.flags;
	memcpy(policy->name, value.name, POLICY_NAME_MAX);
	return 0;
}

static struct policy *add(struct policies *policies)
{
	struct policy *items = reallocarray(
		policies->items, policies->count + 1, sizeof(*policies->items));

	if (!items)
		return NULL;
	policies->items = items;
	items += policies->count++;
	memset(items, 0, sizeof(*items));
	return items;
}

static bool has_link(const struct policies *policies, uint32_t id)
{
	for (size_t i = 0; i < policies->count; i++)
		if (policies->items[i].link_id == id)
			return true;
	return false;
}

/* A folder; one without a link is left over from a load that was killed. */
static int read_pin(const char *name, struct policies *policies)
{
	AUTO_FREE char *path = policy_path(name, POLICY_LINK);
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	AUTO_CLOSE int fd = path ? bpf_obj_get(path) : -ENOMEM;
	struct policy *policy = add(policies);

	if (!path || !policy)
		return -ENOMEM;
	policy->pin = strdup(name);
	memcpy(policy->name, name, strnlen(name, POLICY_NAME_MAX));
	if (!policy->pin)
		return -ENOMEM;
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	policy->link_id = info.id;
	if (info.struct_ops.map_id)
		read_map(info.struct_ops.map_id, policy);
	return 0;
}

static int read_pins(struct policies *policies)
{
	AUTO_CLOSEDIR DIR *dir = opendir(POLICY_DIR);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (!ret && (entry = readdir(dir)))
		if (policy_is_name(entry->d_name))
			ret = read_pin(entry->d_name, policies);
	return ret;
}

/* Those that somebody else attached. */
static int read_links(struct policies *policies)
{
	__u32 id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		AUTO_CLOSE int fd = bpf_link_get_fd_by_id(id);
		struct bpf_link_info info = {};
		struct policy found = {};
		__u32 len = sizeof(info);
		struct policy *policy;

		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len) ||
		    info.type != BPF_LINK_TYPE_STRUCT_OPS ||
		    !info.struct_ops.map_id || has_link(policies, id) ||
		    read_map(info.struct_ops.map_id, &found))
			continue;
		policy = add(policies);
		if (!policy)
			return -ENOMEM;
		*policy = found;
		policy->link_id = id;
	}
	return errno == ENOENT ? 0 : -errno;
}

int policies_read(struct policies *ret_policies)
{
	int ret = read_pins(ret_policies);

	return ret ? ret : read_links(ret_policies);
}

int policy_cgroup_path(const char *mount, uint64_t id, char **ret_path)
{
	struct {
		struct file_handle head;
		uint64_t id;
	} handle = { .head = { .handle_bytes = 8, .handle_type = 0xfe },
		     .id = id ? id : 1 };
	AUTO_CLOSE int top = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int fd = -1;
	char link[64], path[4096];
	size_t skip = strlen(mount);
	ssize_t len;

	if (top < 0)
		return -errno;
	fd = open_by_handle_at(top, &handle.head, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return -errno;
	path[len] = '\0';
	if (strncmp(path, mount, skip))
		return -ENOENT;
	*ret_path = strdup(path[skip] ? path + skip : "/");
	return *ret_path ? 0 : -ENOMEM;
}

/* ---- removing ---- */

int policy_detach(const struct policy *policy)
{
	AUTO_CLOSE int fd = bpf_link_get_fd_by_id(policy->link_id);

	if (fd < 0)
		return -errno;
	return bpf_link_detach(fd) ? -errno : 0;
}

static void remove_maps(const char *name, const char *folder)
{
	AUTO_FREE char *path = policy_path(name, folder);
	AUTO_CLOSEDIR DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (path)
		rmdir(path);
}

/* Wait until nobody else loads or unloads. A descriptor, or -errno. */
static int lock_policies(void)
{
	AUTO_CLOSE int fd =
		open(POLICY_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX))
		if (errno != EINTR)
			return -errno;
	return take_fd(&fd);
}

/* At once, where a last reference to the link might go only later. Locked. */
static int remove_policy(const char *name)
{
	AUTO_FREE char *folder = policy_path(name, NULL);
	AUTO_FREE char *link = policy_path(name, POLICY_LINK);
	AUTO_CLOSE int fd = link ? bpf_obj_get(link) : -1;

	if (!folder || !link)
		return -ENOMEM;
	if (fd >= 0 && bpf_link_detach(fd) && errno != ENOLINK)
		return -errno;
	if (unlink(link) && errno != ENOENT)
		return -errno;
	remove_maps(name, POLICY_MAPS);
	remove_maps(name, NEW_MAPS);
	return rmdir(folder) ? -errno : 0;
}

int policy_unpin(const char *name)
{
	AUTO_CLOSE int lock = lock_policies();

	return lock < 0 ? lock : remove_policy(name);
}

static int refuse(struct refusal *refusal, enum exit_code code, char *why,
		  char *hint)
{
	refusal_set(refusal, code, why, hint);
	return -1;
}

/* ---- attaching ---- */

/* What is on the way to being attached. Locked. */
struct loading {
	const struct policy_file *file;
	const char *name;
	int link; /* of the policy to replace, or -1 */
};

static int refuse_bpffs(struct refusal *refusal)
{
	return refuse(refusal, EXIT_FAILED,
		      text_format(BPF_FS " is not mounted"),
		      text_format("mount -t bpf bpf " BPF_FS));
}

static int make_folder(const char *name, const char *file)
{
	AUTO_FREE char *path = policy_path(name, file);

	if (!path)
		return -ENOMEM;
	return mkdir(path, 0700) ? -errno : 0;
}

/* bpffs takes no dot, which the maps of global variables have. */
static int pin_maps(const struct loading *loading, const char *folder)
{
	const struct policy_file *file = loading->file;
	struct bpf_map *map;

	bpf_object__for_each_map(map, file->object)
	{
		AUTO_FREE char *path = NULL;
		const char *own = bpf_map__name(map);
		const char *dot = strrchr(own, '.');

		if (map == file->map || bpf_map__fd(map) < 0)
			continue;
		path = text_format(POLICY_DIR "/%s/%s/%s", loading->name,
				   folder, dot ? dot + 1 : own);
		if (!path)
			return -ENOMEM;
		if (bpf_obj_pin(bpf_map__fd(map), path))
			return -errno;
	}
	return 0;
}

static int refuse_pin(const char *name, int error, struct refusal *refusal)
{
	if (error == -EPERM || error == -EACCES)
		refusal_of_policy(name, error, refusal);
	else
		refusal_set(refusal, EXIT_FAILED,
			    text_format("cannot pin it in " POLICY_DIR
					"/%s: %s",
					name, strerror(-error)),
			    NULL);
	return -1;
}

static int refuse_attach(int error, struct refusal *refusal)
{
	switch (error) {
	case -ENOENT:
		return refuse(refusal, EXIT_NO_CGROUP,
			      text_format("the cgroup is gone"), NULL);
	case -ENODEV:
		return refuse(refusal, EXIT_NO_CONTROLLER,
			      text_format("the cgroup has no cpu controller"),
			      text_format("write +cpu into the "
					  "cgroup.subtree_control above it"));
	case -EINVAL:
		return refuse(refusal, EXIT_FAILED,
			      text_format("the module takes it for invalid"),
			      text_format("has it another cgroup than the one "
					  "it replaces? Unload that first"));
	case -EBUSY:
	case -EOPNOTSUPP:
		return refuse(refusal, EXIT_UNSUPPORTED,
			      text_format("%s", strerror(-error)),
			      text_format("numab status says which decision "
					  "point is missing or held"));
	}
	return refuse(refusal, EXIT_FAILED, text_format("%s", strerror(-error)),
		      NULL);
}

static int make_link(const struct policy_file *file, const char *path,
		     struct refusal *refusal)
{
	struct bpf_link *link = bpf_map__attach_struct_ops(file->map);
	int ret = libbpf_get_error(link);

	if (ret)
		return refuse_attach(ret, refusal);
	ret = bpf_link__pin(link, path);
	/* From here on the pin holds it, or nobody. */
	bpf_link__destroy(link);
	return ret ? refuse_pin(policy_file_name(file), ret, refusal) : 0;
}

static int attach_new(const struct loading *loading, struct refusal *refusal)
{
	AUTO_FREE char *path = policy_path(loading->name, POLICY_LINK);
	int ret = path ? 0 : -ENOMEM;

	/* What somebody left there that was killed, or whose cgroup is gone. */
	if (!ret)
		ret = remove_policy(loading->name);
	if (!ret || ret == -ENOENT)
		ret = make_folder(loading->name, NULL);
	if (ret)
		return refuse_pin(loading->name, ret, refusal);
	ret = make_folder(loading->name, POLICY_MAPS);
	if (!ret)
		ret = pin_maps(loading, POLICY_MAPS);
	if (ret)
		refuse_pin(loading->name, ret, refusal);
	else
		ret = make_link(loading->file, path, refusal);
	if (!ret)
		return 0;
	remove_policy(loading->name);
	return -1;
}

/*
 * libbpf gives a map its value only when it attaches it, and updates only links
 * that it made itself: so the value is made here.
 */
static int update_link(const struct policy_file *file, int link)
{
	int map = bpf_map__fd(file->map);
	struct bpf_map_info info = {};
	struct value value = {};
	__u32 len = sizeof(info), zero = 0;

	if (bpf_obj_get_info_by_fd(map, &info, &len))
		return -errno;
	if (info.value_size != sizeof(value))
		return -EPROTO;
	policy_file_value(file, &value.prog_id, &value.cgroup_id,
			  &value.may_enable, &value.flags, value.name);
	if (bpf_map_update_elem(map, &zero, &value, 0) ||
	    bpf_link_update(link, map, NULL))
		return -errno;
	return 0;
}

/*
 * The new maps are beside the present ones until the new policy is in place,
 * so that one that is refused leaves all as it was.
 */
static int attach_instead(const struct loading *loading,
			  struct refusal *refusal)
{
	AUTO_FREE char *maps = policy_path(loading->name, POLICY_MAPS);
	AUTO_FREE char *new_maps = policy_path(loading->name, NEW_MAPS);
	int ret = maps && new_maps ? 0 : -ENOMEM;

	remove_maps(loading->name, NEW_MAPS);
	if (!ret)
		ret = make_folder(loading->name, NEW_MAPS);
	if (!ret)
		ret = pin_maps(loading, NEW_MAPS);
	if (ret) {
		refuse_pin(loading->name, ret, refusal);
	} else {
		ret = update_link(loading->file, loading->link);
		if (ret)
			refuse_attach(ret, refusal);
		else if (renameat2(AT_FDCWD, new_maps, AT_FDCWD, maps,
				   RENAME_EXCHANGE))
			ret = refuse_pin(loading->name, -errno, refusal);
	}
	remove_maps(loading->name, NEW_MAPS);
	return ret ? -1 : 0;
}

/* The link of a policy that is attached, -1: there is none; or -errno. */
static int find_link(const char *name, int *ret_link)
{
	AUTO_FREE char *path = policy_path(name, POLICY_LINK);
	AUTO_CLOSE int fd = path ? bpf_obj_get(path) : -1;
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	*ret_link = -1;
	if (!path)
		return -ENOMEM;
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	if (info.struct_ops.map_id)
		*ret_link = take_fd(&fd);
	return 0;
}

int policy_attach(struct policy_file *file, bool replace,
		  struct refusal *ret_refusal)
{
	AUTO_CLOSE int lock = -1, link = -1;
	struct loading loading = { .file = file,
				   .name = policy_file_name(file) };
	struct statfs fs;
	int ret = 0;

	if (statfs(BPF_FS, &fs) || (unsigned int)fs.f_type != BPF_FS_MAGIC)
		return refuse_bpffs(ret_refusal);
	if (mkdir(POLICY_DIR, 0700) && errno != EEXIST)
		return refuse_pin(loading.name, -errno, ret_refusal);
	lock = lock_policies();
	ret = lock < 0 ? lock : find_link(loading.name, &link);
	if (ret)
		return refuse_pin(loading.name, ret, ret_refusal);
	if (link < 0)
		return attach_new(&loading, ret_refusal);
	if (!replace)
		return refuse(ret_refusal, EXIT_FAILED,
			      text_format("there is a policy of that name"),
			      text_format("--replace puts this one in its "
					  "place, --name gives it another "
					  "name"));
	loading.link = link;
	return attach_instead(&loading, ret_refusal);
}
