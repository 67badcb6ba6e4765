/* forks.c - fork() during the work of other threads */
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "support/forks.h"

#if defined(__SANITIZE_ADDRESS__)
#define STEPS true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STEPS true
#endif
#endif
#ifndef STEPS
#define STEPS false
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int running;
static bool forking;

void
step_begin(void)
{
	if (!STEPS)
		return;
	pthread_mutex_lock(&lock);
	while (forking)
		pthread_cond_wait(&changed, &lock);
	running++;
	pthread_mutex_unlock(&lock);
}

void
step_end(void)
{
	if (!STEPS)
		return;
	pthread_mutex_lock(&lock);
	running--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

pid_t
fork_amidst(void)
{
	pid_t pid;

	if (!STEPS)
		return fork();
	pthread_mutex_lock(&lock);
	forking = true;
	while (running > 0)
		pthread_cond_wait(&changed, &lock);
	pid = fork();
	if (pid == 0)
		return pid; /* `changed` is a copy whose waiters do not exist in the child: do not use it */
	forking = false;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return pid;
}
