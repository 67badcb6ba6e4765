/*
 * store_embedded_room.c - room on the disk for a change, before it begins
 *
 * Berkeley DB and Tokyo Cabinet cannot undo a change that fails because the disk is full: values that were written long
 * ago are damaged with it.  So the blocks are taken first, beyond the end of the file, and given back when the database
 * is closed.
 *
 * Promise (tests/cli/disk_full.sh tests it):
 *
 * (14) A change for which the disk has no room fails before anything is changed.
 */
#include <errno.h>
#include <sys/stat.h>

#include "store/store_embedded.h"

#define ROOM_LEAST  (ZINC_MIB / 4)
#define ROOM_OF_ROW 128 /* bytes beside key and value */

/* Pages that are divided have room left: twice as much as what is written.  Erasing needs none. */
uint64_t
zinc_embedded_room(const embedded_change *changes, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (changes[i].bytes)
			sum += 2 * ((uint64_t)changes[i].nkey + changes[i].nbytes + ROOM_OF_ROW);
	return sum ? sum + ROOM_LEAST : 0;
}

/* File systems that cannot do it are not asked for more. */
zinc_status
zinc_embedded_reserve(int fd, uint64_t nbytes, zinc_error *err)
{
	const zinc_os *os = zinc_context_get(NULL)->os;
	struct stat st;
	int rc;

	if (nbytes == 0)
		return ZINC_OK;
	if (os->fstat(os, fd, &st) != 0)
		return zinc_fail_errno(err, errno, "cannot look at the database");
	do
		rc = os->reserve(os, fd, st.st_size + (off_t)nbytes);
	while (rc != 0 && errno == EINTR);
	if (rc == 0 || (errno != ENOSPC && errno != EDQUOT && errno != EFBIG))
		return ZINC_OK;
	return zinc_fail_errno(err, errno, "no room for the change");
}

/* A file that is cut at its end keeps its bytes and loses the blocks beyond. */
void
zinc_embedded_give_back(int fd)
{
	const zinc_os *os = zinc_context_get(NULL)->os;
	struct stat st;

	if (os->fstat(os, fd, &st) == 0)
		(void)os->ftruncate(os, fd, st.st_size);
}
