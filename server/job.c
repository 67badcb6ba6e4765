/*
 * job.c - the progress of checks, by the name that the client gives them
 *
 * A job that has ended is remembered until its place is needed.
 */
#include <stdio.h>
#include <string.h>

#include "api.h"

bool
job_name_ok(const char *name)
{
	const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");

	return n > 0 && n <= JOB_NAME && !name[n];
}

static struct job *
find(struct jobs *jobs, const char *name)
{
	size_t i;

	for (i = 0; i < JOBS; i++)
		if (!strcmp(jobs->job[i].name, name))
			return &jobs->job[i];
	return NULL;
}

/* A free place, or that of the oldest job that has ended. */
static struct job *
find_place(struct jobs *jobs)
{
	struct job *oldest = NULL;
	size_t i;

	for (i = 0; i < JOBS; i++) {
		struct job *j = &jobs->job[i];

		if (!j->running && (!oldest || j->begun < oldest->begun))
			oldest = j;
	}
	return oldest;
}

struct job *
job_begin(struct jobs *jobs, const char *name)
{
	struct job *j;

	pthread_mutex_lock(&jobs->lock);
	j = find(jobs, name);
	if (!j)
		j = find_place(jobs);
	if (j && j->running)
		j = NULL;
	if (j) {
		*j = (struct job){.running = true, .begun = ++jobs->count};
		snprintf(j->name, sizeof j->name, "%s", name);
	}
	pthread_mutex_unlock(&jobs->lock);
	return j;
}

bool
job_tell(struct jobs *jobs, struct job *job, const char *line)
{
	unsigned long long done, total, bytes;

	if (sscanf(line, "{\"done\":%llu,\"total\":%llu,\"bytes\":%llu}", &done, &total, &bytes) != 3)
		return false;
	if (!job)
		return true;
	pthread_mutex_lock(&jobs->lock);
	job->done = done;
	job->total = total;
	job->bytes = bytes;
	pthread_mutex_unlock(&jobs->lock);
	return true;
}

void
job_end(struct jobs *jobs, struct job *job)
{
	if (!job)
		return;
	pthread_mutex_lock(&jobs->lock);
	job->running = false;
	pthread_mutex_unlock(&jobs->lock);
}

bool
job_find(struct jobs *jobs, const char *name, struct job *out)
{
	const struct job *j;

	pthread_mutex_lock(&jobs->lock);
	j = find(jobs, name);
	if (j)
		*out = *j;
	pthread_mutex_unlock(&jobs->lock);
	return j != NULL;
}
