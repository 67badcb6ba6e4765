/*
 * http_poll.c - the sockets of a lane: wait until one is ready, then let libcurl handle only that one
 *
 *     libcurl  -- on_socket: "fd, for reading" -->  epoll
 *              -- on_timer: "in 20 ms" ---------->  due
 *              <-- curl_multi_socket_action: fd is ready, or time has passed
 *
 * curl_multi_perform would check every exchange whenever bytes arrive for one of them.  Measured on two busy cores, 1
 * 000 values of 32 KiB with 20 ms latency, 64 exchanges open: 0.38 s instead of 0.62.
 */
#include "net/net.h"

#if ZINC_WITH_CURL

#include <sys/epoll.h>

#include "net/http_lane.h"

/* libcurl returns the mark `known` for a socket that epoll already has. */
static int
on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
{
	lane *l = (lane *)arg;
	struct epoll_event e = {.data.fd = fd};

	(void)easy;
	e.events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(l->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	if (epoll_ctl(l->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e) != 0 &&
	    epoll_ctl(l->epoll, known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &e) !=
		0) { /* the descriptor was closed and opened again */
		l->broken = true;
		return -1;
	}
	curl_multi_assign(l->multi, fd, l);
	return 0;
}

static int
on_timer(CURLM *multi, long ms, void *arg)
{
	lane *l = (lane *)arg;

	(void)multi;
	l->due = ms < 0 ? HUGE_VAL : zinc_now(l->http->ctx) + (double)ms / 1e3;
	return 0;
}

bool
zinc_http_poll_init(lane *l)
{
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->due = HUGE_VAL;
	curl_multi_setopt(l->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(l->multi, CURLMOPT_SOCKETDATA, l);
	curl_multi_setopt(l->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(l->multi, CURLMOPT_TIMERDATA, l);
	return l->epoll != -1;
}

void
zinc_http_poll_fini(lane *l)
{
	const zinc_os *os = l->http->ctx->os;

	if (l->epoll != -1)
		os->close(os, l->epoll);
}

static void
tell(lane *l, curl_socket_t fd, int events)
{
	int running;

	l->broken |= curl_multi_socket_action(l->multi, fd, events, &running) != CURLM_OK;
}

void
zinc_http_poll_due(lane *l)
{
	tell(l, CURL_SOCKET_TIMEOUT, 0);
}

void
zinc_http_poll(lane *l, int ms)
{
	const double left = l->due - zinc_now(l->http->ctx);
	int n;

	if (left < (double)ms / 1e3)
		ms = left > 0 ? (int)(left * 1e3) + 1 : 0;
	n = epoll_wait(l->epoll, l->ready, ZINC_HTTP_READY, ms);
	l->nready = n > 0 ? n : 0;
	l->at = 0;
}

/* In the order in which they became ready, so that the first answer leads to the first new request. */
bool
zinc_http_poll_one(lane *l)
{
	const struct epoll_event *e = &l->ready[l->at];

	if (l->at == l->nready)
		return false;
	l->at++;
	tell(l, e->data.fd,
	     (e->events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) | (e->events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
		 (e->events & EPOLLERR ? CURL_CSELECT_ERR : 0));
	return true;
}

#endif
