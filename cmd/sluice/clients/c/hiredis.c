// hiredis: cc hiredis.c -lhiredis, then ./a.out resp2 HOST PORT
#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "demo"                // of the connection
#define THROTTLED "0 5 4 -1 6"     // CL.THROTTLE key 4 10 60, the first time
static const char binary[] = "bin\x00\r\n\xff"; // a key may be any bytes

// The calls of which we compare the reply's beginning: the time until a clock's
// window ends is left open.
static const char *calls[][2] = {
	{"TB.TAKE tb 10 1 4", "0 10 6 -1 4000"},
	{"FW.INCR fw 100 1h", "0 100 99 -1 "},
	{"SW.HIT sw 100 60", "0 100 99 -1 "},
	{"SL.HIT sl 100 60", "0 100 99 -1 60000"},
	{"LB.ADD lb 4 1", "0 5 4 -1 1000"},
	{"GCRA gcra 4 10 60", "0 5 4 -1 6"},
	{"CC.ACQUIRE cc 2 60 TOKEN t1", "0 2 1 -1 60000 t1"},
	{"CC.RENEW cc t1 90s", "1"},
	{"CC.RELEASE cc t1", "1"},
	{"CC.RELEASE cc t1", "0"},
	{"RL.ALL {acct:7}:s TB.TAKE 10 10 AND {acct:7}:m SL.HIT 100 60", "0 nil -1 (0 10 9 -1 100) (0 100 99 -1 60000)"},
};

static void fail(const char *what, const char *got, const char *want) {
	fprintf(stderr, "%s: got %s, want %s\n", what, got, want);
	exit(1);
}

// text shows a reply, lists within it in brackets. It keeps one reply's text.
static const char *text(redisReply *r, int depth) {
	static char all[4096];
	if (depth == 0) all[0] = 0;
	if (depth > 1) strcat(all, "(");
	switch (r->type) {
	case REDIS_REPLY_INTEGER: sprintf(all + strlen(all), "%lld", r->integer); break;
	case REDIS_REPLY_NIL: strcat(all, "nil"); break;
	case REDIS_REPLY_ARRAY:
		for (size_t i = 0; i < r->elements; i++) {
			if (i > 0) strcat(all, " ");
			text(r->element[i], r->element[i]->type == REDIS_REPLY_ARRAY ? depth + 2 : 1);
		}
		break;
	default: snprintf(all + strlen(all), 512, "%s", r->str);
	}
	if (depth > 1) strcat(all, ")");
	return all;
}

// want sends a command and compares the beginning of its reply.
static void want(redisContext *c, const char *expected, const char *format, ...) {
	va_list args;
	va_start(args, format);
	redisReply *reply = redisvCommand(c, format, args);
	va_end(args);
	if (reply == NULL) fail(format, c->errstr, expected);
	const char *got = text(reply, 0);
	if (strncmp(got, expected, strlen(expected)) != 0) fail(format, got, expected);
	freeReplyObject(reply);
}

static redisReply *next(redisContext *c) {
	void *reply;
	if (redisGetReply(c, &reply) != REDIS_OK) fail("a reply", c->errstr, "one");
	return reply;
}

static void introduce(redisContext *c) {
	want(c, "OK", "SELECT 3");
	want(c, "OK", "CLIENT SETNAME %s", NAME);
	want(c, NAME, "CLIENT GETNAME");
}

int main(int argc, char **argv) {
	if (argc != 4) fail("arguments", "too few or many", "resp2 HOST PORT");
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("version %d.%d.%d\n", HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH);
	redisContext *c = redisConnect(argv[2], atoi(argv[3]));
	if (c == NULL || c->err) fail("connect", c ? c->errstr : "no memory", "a connection");
	introduce(c);
	puts("ok connect");

	want(c, THROTTLED, "CL.THROTTLE user:42 %d %d %d", 4, 10, 60);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) want(c, calls[i][1], calls[i][0]);
	puts("ok limiters");

	long long limited = 0;
	for (int i = 0; i < 1000; i++) redisAppendCommand(c, "FW.INCR pipe 600 year");
	for (int i = 0; i < 1000; i++) {
		redisReply *reply = next(c);
		if (reply->type != REDIS_REPLY_ARRAY) fail("FW.INCR", text(reply, 0), "five integers");
		limited += reply->element[0]->integer;
		freeReplyObject(reply);
	}
	if (limited != 400) fail("limited of 1000", "another number", "400");
	puts("ok pipeline");

	want(c, "OK", "MULTI");
	want(c, "QUEUED", "CL.THROTTLE {tx}:a 4 10 60");
	want(c, "QUEUED", "TB.TAKE {tx}:b 10 1");
	want(c, "(" THROTTLED ") (0 10 9 -1 1000)", "EXEC");
	puts("ok transaction");

	redisReply *refused = redisCommand(c, "TB.TAKE user:42 10 1"); // an error is a type of reply
	if (refused == NULL || refused->type != REDIS_REPLY_ERROR) fail("TB.TAKE", "no error", "one");
	if (strncmp(refused->str, "WRONGTYPE ", 10) != 0) fail("TB.TAKE", refused->str, "WRONGTYPE");
	freeReplyObject(refused);
	puts("ok error");

	want(c, THROTTLED, "CL.THROTTLE %b 4 10 60", binary, sizeof binary - 1);
	want(c, "1", "EXISTS %b", binary, sizeof binary - 1);
	puts("ok binary");

	puts("ready for restart");
	getchar();
	redisReply *lost = redisCommand(c, "PING"); // finds the old connection dead
	if (lost != NULL || redisReconnect(c) != REDIS_OK) fail("reconnect", c->errstr, "a connection");
	introduce(c);
	want(c, THROTTLED, "CL.THROTTLE after:restart 4 10 60");
	puts("ok restart");
	redisFree(c);
	return 0;
}
