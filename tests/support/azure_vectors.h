/*
 * azure_vectors.h - requests as azure-storage-blob 12.31.1 signs them; made by tests/interop/azure_peer.py --vectors
 */
{"PUT",
 "https://devstoreaccount1.blob.core.windows.net/%C3%A9%3F%3A%40%3B-%5C%2C%5E%22%22/%40%3D%27%2A%40%21"
 "%C3%A9?prefix=",
 "Content-MD5: application/octet-stream\n"
 "If-Match: MDEyMzQ1Njc4OWFiY2RlZg==\n"
 "If-None-Match: MDEyMzQ1Njc4OWFiY2RlZg==\n"
 "x-ms-version: 2023-11-03\n"
 "Content-Type: *\n"
 "x-ms-date: Tue, 01 Jan 2092 20:28:23 GMT\n",
 0, "1JCO6MBqo9nKXofzeb+0cJjNvUtPUgtPGEAIMug/5F4="},
    {"DELETE",
     "http://[::1]:10000/devstoreaccount1/%2520%3A%5C%26%7B%3B%7C%40./_%3A%3A/B%2B?restype=%60%2B%E1%88%B4"
     "&timeout=%2C%7B%5E&snapshot=.%40%60",
     "x-ms-date: Wed, 17 Jan 1979 04:30:45 GMT\n"
     "x-ms-blob-type: application/octet-stream\n"
     "x-ms-version: 2023-11-03\n",
     77, "wnIgqwFt++knMO3MrSRj6USzyQa11I/jX/Zj0lNG9gk="},
    {"HEAD", "http://[::1]:10000/devstoreaccount1/?include=a%252Fb&comp=a%252Fb&maxresults=",
     "x-ms-version: 2023-11-03\n"
     "x-ms-date: Wed, 25 Sep 1974 20:44:50 GMT\n",
     0, "wNR6M9qw367ZoZSGGFO9pVDlAtkA3FeAvAj8cbWTk7Q="},
    {"GET",
     "https://devstoreaccount1.blob.core.windows.net/%7C%3B%C3%A9%2A%40/0%20%2520a%3D%40%7C%40%25%3F%26%28"
     "?maxresults=%2B%7C%2520%21&comp=a%252Fb",
     "If-Match: application/octet-stream\n"
     "x-ms-version: 2023-11-03\n"
     "x-ms-date: Sat, 13 Mar 1982 22:28:09 GMT\n"
     "x-ms-meta-a: MDEyMzQ1Njc4OWFiY2RlZg==\n"
     "If-Unmodified-Since: two words\n",
     1, "xZhr9GQJ6RBrnSabPiSt5zW8lhmSJBDP/L2o/AgnIus="},
    {"HEAD", "http://127.0.0.1:10000/devstoreaccount1/%7B%5C//%E1%88%B4%24~.%40?timeout=&include=list",
     "x-ms-version: 2023-11-03\n"
     "x-ms-date: Sat, 04 Dec 2060 03:22:43 GMT\n",
     0, "yGtodHBiwIuE505hvqLLokeCXANe6dHBM/sDWvibHbs="},
    {"GET", "http://[::1]:10000/devstoreaccount1/%3A%60%27-%21~%E1%88%B4.-%5B/~%2B-",
     "x-ms-date: Thu, 22 Jan 1981 13:42:43 GMT\n"
     "If-Modified-Since: application/octet-stream\n"
     "x-ms-copy-source: a,b; c\n"
     "x-ms-lease-id: x\n"
     "x-ms-version: 2023-11-03\n"
     "If-Match: application/octet-stream\n"
     "Content-MD5: application/octet-stream\n"
     "x-ms-range: x\n",
     77, "uDJHcyY7Z6cSQgN+XtmWIeX6Pg+COBj0UJyllYXZgtY="},
    {"DELETE", "https://devstoreaccount1.blob.core.windows.net/%22%24%5C?maxresults=a%252Fb&snapshot=a%252Fb",
     "x-ms-date: Sat, 23 Jun 1973 10:24:20 GMT\n"
     "x-ms-meta-zincwrite: application/octet-stream\n"
     "x-ms-version: 2023-11-03\n",
     77, "gh9DIX6Ue9Eeui9UJzvF+P59zvH7FlKCCSsD0OCh3Ds="},
    {"GET",
     "http://[::1]:10000/devstoreaccount1/%5B%40%3C%2520B%24%60%3F%24%C3%A9/%3D%3F%2520%40-%3F_%5E?comp=li"
     "st&snapshot=a%252Fb&delimiter=%26%2A%28&maxresults=list",
     "x-ms-blob-content-md5: a,b; c\n"
     "x-ms-date: Sun, 11 Jun 2056 05:05:00 GMT\n"
     "x-ms-copy-source: \"0x8D\"\n"
     "x-ms-version: 2023-11-03\n"
     "Content-MD5: x\n"
     "If-Match: two words\n"
     "x-ms-blob-type: x\n"
     "x-ms-meta-zincwrite: application/octet-stream\n",
     1, "SlXQqHt0yYtTHezpbz6osmoc1JkmIg7IqId5mwYBskM="},
    {"DELETE",
     "http://127.0.0.1:10000/devstoreaccount1/%22%09%60%2A%25%2A%3F%F0%9F%A7%8A%2A?timeout=&include=a%252F"
     "b",
     "x-ms-date: Sun, 23 Jun 2075 19:46:15 GMT\n"
     "x-ms-copy-source: a,b; c\n"
     "If-None-Match: MDEyMzQ1Njc4OWFiY2RlZg==\n"
     "x-ms-version: 2023-11-03\n"
     "Content-MD5: *\n"
     "x-ms-lease-id: bytes=0-9\n"
     "If-Unmodified-Since: application/octet-stream\n"
     "If-Modified-Since: MDEyMzQ1Njc4OWFiY2RlZg==\n",
     1, "Y8MUWsa8VDM0mpyZwaWxXgzvCPuoKg/6vivz1y66ERM="},
    {"HEAD", "https://devstoreaccount1.blob.core.windows.net/%21%60/_",
     "x-ms-version: 2023-11-03\n"
     "x-ms-meta-zincwrite: application/octet-stream\n"
     "If-None-Match: bytes=0-9\n"
     "X-MS-Client-Request-Id: MDEyMzQ1Njc4OWFiY2RlZg==\n"
     "x-ms-meta-a: application/octet-stream\n"
     "If-Unmodified-Since: two words\n"
     "x-ms-date: Sun, 10 Aug 1986 17:12:53 GMT\n"
     "If-Modified-Since: two words\n",
     0, "3t7lLoqLvazX7a5Fkmi1kyYGAhdHSB1623GHXilqxSg="},
    {"PUT", "http://[::1]:10000/devstoreaccount1/a~%E1%88%B4%24%2520%3F%E1%88%B4.%2A%7C?marker=~%25-",
     "x-ms-version: 2023-11-03\n"
     "x-ms-meta-zincwrite: *\n"
     "x-ms-range: a,b; c\n"
     "If-Unmodified-Since: a,b; c\n"
     "Content-Type: \"0x8D\"\n"
     "x-ms-date: Mon, 21 Jun 1999 14:58:43 GMT\n"
     "x-ms-blob-type: MDEyMzQ1Njc4OWFiY2RlZg==\n",
     1, "wCS/xXGiQzgZRBS3W+sXvrMM1p/kj8T6qiM9w9HVbRY="},
    {"GET",
     "http://127.0.0.1:10000/devstoreaccount1/%40/%3D%3Da%2520%2C0%3A%F0%9F%A7%8A%3F%3D?prefix=a%252Fb&del"
     "imiter=%25a%F0%9F%A7%8A%3C%7C%3A",
     "x-ms-date: Sun, 30 Nov 2031 12:55:50 GMT\n"
     "x-ms-version: 2023-11-03\n"
     "x-ms-blob-content-md5: x\n"
     "X-MS-Client-Request-Id: \"0x8D\"\n"
     "If-Unmodified-Since: application/octet-stream\n",
     8589934592, "+pq/ccNT5ONGc6w9D5/n+SyB0krY6kkM7r93DMK3NVs="},
    {"PUT", "http://[::1]:10000/devstoreaccount1/?timeout=a%252Fb&maxresults=list&include=a%252Fb",
     "x-ms-range: MDEyMzQ1Njc4OWFiY2RlZg==\n"
     "x-ms-date: Mon, 02 Sep 2047 10:51:34 GMT\n"
     "x-ms-version: 2023-11-03\n"
     "x-ms-blob-type: MDEyMzQ1Njc4OWFiY2RlZg==\n"
     "X-MS-Client-Request-Id: x\n",
     8589934592, "+1VlkO/uiHWDZIjVb4WnXnWeOXG8IRq7Pvw/foIM8BI="},
    {"PUT",
     "http://[::1]:10000/devstoreaccount1/%28%21%24%7F%60%40%24%3A%21%25B//%3B/?blockid=B~%2F%2F&comp=list"
     "&delimiter=a%252Fb",
     "x-ms-meta-zincwrite: x\n"
     "x-ms-version: 2023-11-03\n"
     "x-ms-date: Wed, 11 Jul 1984 05:54:08 GMT\n"
     "If-None-Match: *\n",
     8589934592, "MeIagueFMl1Q3vGFA395QBwcuqO/99BDdHM0VnR7lqU="},
    {"GET", "http://127.0.0.1:10000/devstoreaccount1/%28?snapshot=&include=list",
     "x-ms-date: Fri, 10 Dec 2010 00:41:29 GMT\n"
     "x-ms-version: 2023-11-03\n",
     0, "iAG/ZEvlTiJWbC4qHPi9ygoC+SjmIqxxAkxo69OQUNI="},
    {"PUT",
     "http://127.0.0.1:10000/devstoreaccount1/%27%25%3F%3B%3A%60%3C%2520%7B%26%7C%25%7B%3D?blockid=&prefix"
     "=%24%28%7B%25%25",
     "x-ms-date: Sun, 11 Jan 1970 16:28:29 GMT\n"
     "x-ms-version: 2023-11-03\n"
     "Content-MD5: two words\n"
     "x-ms-lease-id: MDEyMzQ1Njc4OWFiY2RlZg==\n",
     0, "XXx/piyted49lkkaKysRwr0nEodE37fwAjvg/73Lo3s="},
    {"DELETE", "https://devstoreaccount1.blob.core.windows.net/%28",
     "If-Modified-Since: MDEyMzQ1Njc4OWFiY2RlZg==\n"
     "x-ms-date: Sat, 06 Dec 2014 12:23:00 GMT\n"
     "x-ms-version: 2023-11-03\n"
     "x-ms-blob-content-md5: application/octet-stream\n"
     "x-ms-copy-source: MDEyMzQ1Njc4OWFiY2RlZg==\n"
     "Content-Type: \"0x8D\"\n",
     1, "Z8H2o5b7Tr/vzx5SAXi5QD+OhUmahseiOVm/lFlay4A="},
    {"DELETE", "https://h:443/%2A-%2C?marker=0&timeout=&snapshot=&delimiter=",
     "x-ms-date: Wed, 28 Apr 2088 12:03:46 GMT\n"
     "x-ms-version: 2023-11-03\n"
     "x-ms-lease-id: *\n"
     "X-MS-Client-Request-Id: a,b; c\n",
     8589934592, "0bsIKZBXrHMAvo5DC90tADH9ytz5XSR/yZ8wP7tmRTo="},
    {"DELETE",
     "https://devstoreaccount1.blob.core.windows.net/%F0%9F%A7%8A%3B%F0%9F%A7%8A%3B%F0%9F%A7%8A//%28%F0%9F"
     "%A7%8A?marker=&blockid=a%252Fb",
     "x-ms-range: \"0x8D\"\n"
     "Content-Type: a,b; c\n"
     "x-ms-date: Thu, 09 Jun 2072 05:51:37 GMT\n"
     "x-ms-version: 2023-11-03\n"
     "Content-MD5: bytes=0-9\n"
     "If-Modified-Since: *\n"
     "x-ms-lease-id: \"0x8D\"\n",
     77, "wgl9/gt8CO3eOIsGN1aFjyWkB4r01GSCmKyTpSzTOio="},
    {"GET", "https://devstoreaccount1.blob.core.windows.net/%F0%9F%A7%8A%7C%60?restype=&delimiter=%40%2A%2C%60",
     "x-ms-blob-content-md5: *\n"
     "x-ms-range: \"0x8D\"\n"
     "Content-MD5: a,b; c\n"
     "x-ms-version: 2023-11-03\n"
     "x-ms-copy-source: MDEyMzQ1Njc4OWFiY2RlZg==\n"
     "x-ms-date: Tue, 13 Aug 2069 22:36:53 GMT\n"
     "x-ms-blob-type: application/octet-stream\n",
     8589934592, "LwNIr2nVWhdNiMIWZSNpdWBS06VUvdRIBcjjfoNtC00="},
    {"GET", "https://h:443/.%7C%3D0",
     "If-None-Match: application/octet-stream\n"
     "x-ms-copy-source: \"0x8D\"\n"
     "x-ms-date: Tue, 06 Nov 2063 23:21:23 GMT\n"
     "x-ms-blob-content-md5: *\n"
     "If-Modified-Since: bytes=0-9\n"
     "x-ms-meta-a: *\n"
     "x-ms-version: 2023-11-03\n",
     8589934592, "tie9JGXRrH0aYBT5dwPejofxHqzyvbRGxMNNln9x08I="},
    {"PUT",
     "http://[::1]:10000/devstoreaccount1//%2B.%7B%3D%2B%2520%27%60%28%2B//%21%40%7B%40%7C%3D?marker=&deli"
     "miter=list&snapshot=",
     "X-MS-Client-Request-Id: application/octet-stream\n"
     "x-ms-version: 2023-11-03\n"
     "x-ms-date: Sun, 29 Sep 1996 22:12:34 GMT\n"
     "x-ms-copy-source: *\n"
     "x-ms-meta-zincwrite: application/octet-stream\n"
     "If-Match: application/octet-stream\n",
     77, "e+KYbCQt5Ig2pbfgsVoZmDz2S0/XnYUeJPuM93P5y+0="},
    {"DELETE", "http://[::1]:10000/devstoreaccount1/%09%3B%5B0a~%240~?delimiter=a%252Fb&comp=list&prefix=a%252Fb",
     "x-ms-meta-zincwrite: a,b; c\n"
     "x-ms-range: MDEyMzQ1Njc4OWFiY2RlZg==\n"
     "x-ms-date: Mon, 16 Oct 1978 03:53:26 GMT\n"
     "x-ms-version: 2023-11-03\n"
     "x-ms-meta-a: a,b; c\n"
     "x-ms-lease-id: bytes=0-9\n"
     "If-Modified-Since: x\n"
     "If-None-Match: application/octet-stream\n",
     0, "v2rBvdZMo27y2IQX4jpw2V7E2bj8Pv5IkuRx0+OjM5E="},
    {"HEAD",
     "http://127.0.0.1:10000/devstoreaccount1/%20%3C-%09%7F-0%3D%21%F0%9F%A7%8A%3F%3D//-%3F%3D%26%7F?maxre"
     "sults=list",
     "x-ms-blob-content-md5: a,b; c\n"
     "If-Modified-Since: bytes=0-9\n"
     "If-Match: MDEyMzQ1Njc4OWFiY2RlZg==\n"
     "x-ms-date: Thu, 03 Apr 1986 12:54:13 GMT\n"
     "x-ms-version: 2023-11-03\n"
     "x-ms-range: application/octet-stream\n",
     1, "tD/SaNV+ZiqH4diAExoQwNrNr5wNNSb9oFNUQGtYnfI="},
    {"PUT", "https://devstoreaccount1.blob.core.windows.net/%2A%27B%3C?timeout=list",
     "x-ms-version: 2023-11-03\n"
     "x-ms-date: Tue, 13 Dec 1977 12:46:16 GMT\n",
     0, "UyioWKgjFbbI0fGxpdHIWmfOQAm7OeZWVbX6Gx5xMLE="},
