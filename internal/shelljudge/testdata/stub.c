/* The program that stands behind every name in the sandbox. It copies what it
 * reads to where it writes, so that pipelines do not hang, opens its operands if
 * its name is that of a program which reads files, and says no if its name is that
 * of a program which looks for something: so both sides of && and || run. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int one_of(const char *name, const char *const *list) {
	for (; *list; list++)
		if (!strcmp(name, *list)) return 1;
	return 0;
}

int main(int argc, char **argv) {
	static const char *const reads[] = {"cat", "head", "tail", "wc", 0};
	static const char *const fails[] = {"grep", "diff", 0};
	static char buf[4096];
	const char *name = strrchr(argv[0], '/');
	long n;
	int i, total = 0;
	name = name ? name + 1 : argv[0];
	if (one_of(name, reads))
		for (i = 1; i < argc; i++)
			if (argv[i][0] != '-') close(open(argv[i], O_RDONLY | O_NONBLOCK));
	while (total < 65536 && (n = read(0, buf, sizeof buf)) > 0 && write(1, buf, n) == n) total += n;
	return one_of(name, fails);
}
