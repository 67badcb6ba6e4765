/*
 * test_codec_jenkins_lookup3.c - Jenkins' lookup3; what it shares with the other checksums is in test_checksum.c
 */
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define LOOKUP3(configuration)                                                                                         \
	"[\"bytes\", {\"name\": \"numcodecs.jenkins_lookup3\", \"configuration\": {" configuration "}}]"

static void
vectors(void **state)
{
	(void)state;
	vectors_run("numcodecs.jenkins_lookup3");
}

/* The author's own examples: "Four score and seven years ago", from 0 and from 1; and no bytes at all. */
static void
published(void **state)
{
	static const char text[] = "Four score and seven years ago";
	const uint64_t thirty[] = {30, ENDED}, none[] = {0, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, LOOKUP3(""), "uint8", thirty, NULL, true, &err));
	assert_ok(chain_encode(&t, text, &err));
	assert_int_equal(zinc_get_le32(t.out.p + 30), 0x17770551);
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, LOOKUP3("\"initval\": 1"), "uint8", thirty, NULL, true, &err));
	assert_ok(chain_encode(&t, text, &err));
	assert_int_equal(zinc_get_le32(t.out.p + 30), 0xcd628161);
	chain_fini(&t);
	codec_encodes(LOOKUP3(""), "uint8", none, "", ZINC_OK, "efbeadde");
	codec_encodes(LOOKUP3("\"initval\": 3735928559"), "uint8", none, "", ZINC_OK, "de7d5bbd");
}

static void
configuration(void **state)
{
	const uint64_t two[] = {2, ENDED};

	(void)state;
	codec_prints("[\"bytes\", \"numcodecs.jenkins_lookup3\"]", "uint8",
		     "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.jenkins_lookup3\", \"configuration\": "
		     "{\"initval\": 0, \"prefix\": null}}]",
		     "[{\"id\": \"jenkins_lookup3\", \"initval\": 0, \"prefix\": null}]");
	codec_prints(LOOKUP3("\"initval\": 4294967295, \"prefix\": null"), "uint8",
		     "[{\"name\": \"bytes\"}, {\"name\": \"numcodecs.jenkins_lookup3\", \"configuration\": "
		     "{\"initval\": 4294967295, \"prefix\": null}}]",
		     "[{\"id\": \"jenkins_lookup3\", \"initval\": 4294967295, \"prefix\": null}]");
	chain_finds(LOOKUP3("\"initval\": 4294967296"), "uint8", two, ZINC_E_CORRUPT, "jenkins_lookup3",
		    "/1/configuration/initval");
	chain_finds(LOOKUP3("\"initval\": -1"), "uint8", two, ZINC_E_CORRUPT, "jenkins_lookup3",
		    "/1/configuration/initval");
	chain_finds(LOOKUP3("\"prefix\": \"ab\""), "uint8", two, ZINC_E_UNSUPPORTED, "jenkins_lookup3",
		    "/1/configuration");
	chain_finds(LOOKUP3("\"location\": \"end\""), "uint8", two, ZINC_OK, "jenkins_lookup3",
		    "/1/configuration/location");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),
	    cmocka_unit_test(published),
	    cmocka_unit_test(configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
