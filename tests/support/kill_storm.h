/*
 * kill_storm.h - writers that are killed in the middle of their work lose nothing that was acknowledged
 */
#ifndef KILL_STORM_H
#define KILL_STORM_H

/* Let processes write to the store at `url`, each put acknowledged through a pipe, kill them all at a random moment,
 * and look for what they acknowledged; several rounds on the same store.  Fails the test if anything is lost. */
void kill_storm(const char *url, int rounds);

#endif
