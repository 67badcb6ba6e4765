/*
 * zfp_vectors.h - chunks encoded by other programs: zarrs 0.23 (zfp) and zfpy 1.0.1 (numcodecs.zfpy)
 *
 * Elements are little-endian.  `read_only`: zarrs uses the rate of three dimensions, and Zinc writes another size.
 */
#ifndef ZFP_VECTORS_H
#define ZFP_VECTORS_H

#include "support/chains.h"

typedef struct zfp_vector {
	const char *codecs, *dtype;
	uint64_t shape[5];
	const char *elements, *encoded, *decoded;
	bool read_only;
} zfp_vector;

static const zfp_vector zfp_vectors[] = {
    {"[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"reversible\"}}]",
     "float32",
     {6, ENDED},
     "ab7640c24fec9ec25a6d6ec150d0c94159538842e4a2d240",
     "19eee0bb4000d47a704899ae9aabbde10cb7eb00a28c0ccaca426cacac8c8e0c",
     "ab7640c24fec9ec25a6d6ec150d0c94159538842e4a2d240",
     false},
    {"[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"reversible\"}}]",
     "int8",
     {2, 3, ENDED},
     "dfd12c6210b7",
     "2878d1ab4ca42894508112c48a9201d40400000000000000",
     "dfd12c6210b7",
     false},
    {"[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"fixed_precision\", \"precision\": 9}}]",
     "uint16",
     {2, 3, ENDED},
     "380056003400c2002300b300",
     "0b00000000000000",
     "000000000000000000000000",
     false},
    {"[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"fixed_accuracy\", \"tolerance\": 0.5}}]",
     "float64",
     {2, 3, ENDED},
     "191ae4d565fb59c07bb843494b1614c05d0b33a9c97251c04bb268bceee042c045e661fac4473dc0a6cc58273f6645c0",
     "0dc8c413cca6001020681604131804859660491385401000",
     "0000000080fb59c000000000002814c000000000807151c00000000000e542c000000000003e3dc000000000006945c0",
     false},
    {"[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"fixed_rate\", \"rate\": 4}}]",
     "float32",
     {2, 2, 2, ENDED},
     "93cf0442094072c0a8760dc24ca0c4414f2a4742ae29c5c2ff7576c11e616bc2",
     "0d090000100000c0050e00282000608102000110003c00000502000c00400002",
     "00000242000060c000000ec20000c441000046420000c5c2000068c100006ac2",
     false},
    {"[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"fixed_rate\", \"rate\": 8}}]",
     "float32",
     {6, ENDED},
     "a13a26c1f2ba9ac2f8e69e3f337b11c0061592c19b807bc2",
     "0d39698b811a3738af1c10c0d803e8f50a0000000000000000000000000000000000000000000000000000000000000000000000000000000"
     "0000000000000000bb9a888a0a80a202a2aa00a08020000000000000000000000000000000000000000000000000000000000000000000000"
     "000000000000000000000000000000",
     "a13a26c1f2ba9ac2f8e69e3f347b11c0061592c19b807bc2",
     true},
    {"[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"fixed_rate\", \"rate\": 8}}]",
     "uint8",
     {2, 5, ENDED},
     "69403aa11e3f171d388b",
     "1c0713029a2dc5046249b00549c20868a62418120400000000000000000000000000000000000000000000000000000000000000000000000"
     "00000000000000082428150280402840000000000000000000000000000000000000000000000000000000000000000000000000000000000"
     "000000000000000000000000000000",
     "69403aa11e3f171d388b",
     true},
    {"[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"expert\", \"minbits\": 64, \"maxbits\": 90, \"maxprec\": "
     "20, \"minexp\": -1074}}]",
     "uint32",
     {2, 3, ENDED},
     "7300000059000000210000009f0000009f0000002f000000",
     "0000000000000000",
     "000000000000000000000000000000000000000000000000",
     false},
    {"[{\"name\": \"zfp\", \"configuration\": {\"mode\": \"reversible\"}}]",
     "int64",
     {1, 2, 2, 2, ENDED},
     "1000000000000000beffffffffffffff0100000000000000020000000000000089fffffffffffffff2fffffffffffffff1ffffffffffffff3"
     "900000000000000",
     "3f000000000000100000060192403000b60133000000000000004891842901a8800400a002000000008922601400001400000000000000000"
     "3008400a00200000000000000007482c39400541000005001000000801049981200004800002a000000000028024701504101004005000000"
     "0012e501000000280100000000000000ac34580d0000250000000000000000",
     "1000000000000000beffffffffffffff0100000000000000020000000000000089fffffffffffffff2fffffffffffffff1ffffffffffffff3"
     "900000000000000",
     false},
    {"[{\"name\": \"numcodecs.zfpy\", \"configuration\": {\"mode\": 4, \"tolerance\": 0.01}}]",
     "float64",
     {2, 3, ENDED},
     "78085878c1b851c0e4bf1d6a29244640b68a5a2f0e7c50c0fa86f0cba0e033c0ba2aaa7cd53649c05a2867ce20bb5540",
     "7a667005270000100000c0ca0d4800100c2896044b0809009006429024c0c0440802345a822585044401a024c8022000",
     "00000000b8b851c0000000003024464000000000187c50c00000000080e033c000000000c03649c00000000020bb5540",
     false},
    {"[{\"name\": \"numcodecs.zfpy\", \"configuration\": {\"mode\": 2, \"rate\": 12}}]",
     "float32",
     {6, ENDED},
     "035f084269e71143580f1a425bcc4a428ec34942369611c2",
     "7a667005520000000000f0020f7133f26e6b0b1341054511",
     "00800742002012430080194200804a4200004a42000012c2",
     false},
    {"[{\"name\": \"numcodecs.zfpy\", \"configuration\": {\"mode\": 3, \"precision\": 12}}]",
     "int32",
     {2, 2, 2, ENDED},
     "fcffffff51000000e9ffffff0b000000ffffffff24000000ebfffffff7ffffff",
     "7a667005180010001000b08000000000",
     "0000000000000000000000000000000000000000000000000000000000000000",
     false},
    {"[{\"name\": \"numcodecs.zfpy\", \"configuration\": {\"mode\": 4}}]",
     "int64",
     {1, 2, 1, 2, ENDED},
     "0e000000000000000600000000000000cdffffffffffffff3500000000000000",
     "7a6670051d000010000000883f0000000000002060000000000042048020000020041000000000000400000000a0400408020000124000000"
     "00000000000000000480000000000000410000000000000",
     "0e000000000000000600000000000000cdffffffffffffff3500000000000000",
     false},
};

#endif
