/*
 * for_modules.h - internal functions that loadable modules call
 *
 * libzinc exports them as zinc__name (version node ZINC_PRIVATE in cmake/libzinc.map), only for modules of the same
 * build.  Their declarations begin with ZINC_MODULE_API.
 */
#ifndef ZINC_FOR_MODULES_H
#define ZINC_FOR_MODULES_H

#define ZINC_MODULE_API __attribute__((visibility("default")))

/* A hash of all headers; library and modules must have the same (cmake/ZincModules.cmake). */
#ifndef ZINC_BUILD
#define ZINC_BUILD "unknown"
#endif

/* base */
#define zinc_build          zinc__build
#define zinc_fail           zinc__fail
#define zinc_fail_nomem     zinc__fail_nomem
#define zinc_fork_add       zinc__fork_add
#define zinc_fork_remove    zinc__fork_remove
#define zinc_alloc          zinc__alloc
#define zinc_calloc         zinc__calloc
#define zinc_free           zinc__free
#define zinc_alloc_secret   zinc__alloc_secret
#define zinc_free_secret    zinc__free_secret
#define zinc_strdup         zinc__strdup
#define zinc_buf_init       zinc__buf_init
#define zinc_buf_fini       zinc__buf_fini
#define zinc_buf_wipe       zinc__buf_wipe
#define zinc_buf_add        zinc__buf_add
#define zinc_buf_puts       zinc__buf_puts
#define zinc_buf_printf     zinc__buf_printf
#define zinc_buf_text       zinc__buf_text
#define zinc_now            zinc__now
#define zinc_wait_for       zinc__wait_for
#define zinc_fail_errno     zinc__fail_errno
#define zinc_error_copy     zinc__error_copy
#define zinc_realloc        zinc__realloc
#define zinc_strndup        zinc__strndup
#define zinc_buf_reserve    zinc__buf_reserve
#define zinc_buf_to_blob    zinc__buf_to_blob
#define zinc_key_check      zinc__key_check
#define zinc_prefix_check   zinc__prefix_check
#define zinc_utf8_valid     zinc__utf8_valid
#define zinc_utf8_put       zinc__utf8_put
#define zinc_warn           zinc__warn
#define zinc_context_get    zinc__context_get
#define zinc_env            zinc__env
#define zinc_crc32c         zinc__crc32c
#define zinc_hash_begin     zinc__hash_begin
#define zinc_hash_add       zinc__hash_add
#define zinc_hash_end       zinc__hash_end
#define zinc_thread_start   zinc__thread_start
#define zinc_turn_init      zinc__turn_init
#define zinc_turn_fini      zinc__turn_fini
#define zinc_turn_acquire   zinc__turn_acquire
#define zinc_turn_release   zinc__turn_release
#define zinc_wait_pause     zinc__wait_pause
#define zinc_wait_cond      zinc__wait_cond
#define zinc_wait_cond_init zinc__wait_cond_init
#define zinc_cwd            zinc__cwd

#define zinc_base64_encode zinc__base64_encode
#define zinc_base64_decode zinc__base64_decode
#define zinc_child_start   zinc__child_start
#define zinc_child_read    zinc__child_read
#define zinc_child_wait    zinc__child_wait
#define zinc_child_end     zinc__child_end

/* json */
#define zinc_json_parse  zinc__json_parse
#define zinc_json_free   zinc__json_free
#define zinc_json_root   zinc__json_root
#define zinc_json_member zinc__json_member

/* store */
#define zinc_sink_failed     zinc__sink_failed
#define zinc_done_report     zinc__done_report
#define zinc_get_select      zinc__get_select
#define zinc_iov_next        zinc__iov_next
#define zinc_iov_advance     zinc__iov_advance
#define zinc_url_unescape    zinc__url_unescape
#define zinc_url_split_file  zinc__url_split_file
#define zinc_sink_serve      zinc__sink_serve
#define zinc_sink_missing    zinc__sink_missing
#define zinc_sink_cancelled  zinc__sink_cancelled
#define zinc_iov_bytes       zinc__iov_bytes
#define zinc_iov_scatter     zinc__iov_scatter
#define zinc_iov_gather      zinc__iov_gather
#define zinc_batch_put       zinc__batch_put
#define zinc_batch_del       zinc__batch_del
#define zinc_batch_begin     zinc__batch_begin
#define zinc_batch_commit    zinc__batch_commit
#define zinc_batch_abort     zinc__batch_abort
#define zinc_known_find      zinc__known_find
#define zinc_known_keep      zinc__known_keep
#define zinc_known_fini      zinc__known_fini
#define zinc_file_look       zinc__file_look
#define zinc_batch_check     zinc__batch_check
#define zinc_batch_hash      zinc__batch_hash
#define zinc_batch_earlier   zinc__batch_earlier
#define zinc_batch_use       zinc__batch_use
#define zinc_conns_init      zinc__conns_init
#define zinc_conns_fini      zinc__conns_fini
#define zinc_conns_take      zinc__conns_take
#define zinc_conns_give      zinc__conns_give
#define zinc_conns_drop      zinc__conns_drop
#define zinc_ordered_walk    zinc__ordered_walk
#define zinc_ordered_non_key zinc__ordered_non_key
#define zinc_store_back_off  zinc__store_back_off
#define zinc_store_putv      zinc__store_putv

#endif
