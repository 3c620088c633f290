//! What every backend must pass, as named cases. Each wants a store that is new and empty.
//!
//! ```
//! use briefing_store::Store;
//! use briefing_store::conformance::CASES;
//!
//! async fn hold(new_store: impl Fn() -> Box<dyn Store>) {
//!     for case in CASES {
//!         println!("{}", case.name);
//!         case.run(new_store().as_ref()).await;
//!     }
//! }
//! ```
//!
//! A case panics where the store is wrong, and at its end if [`Store::verify`] finds a fault. A name that begins with `b` and a
//! number is that of a report.

#![expect(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "a case stops at the first surprise")]

mod anchors;
mod answers;
mod append;
mod cards;
mod desk;
mod forget;
mod forks;
mod leases;
mod mails;
mod messages;
mod moments;
mod order;
mod owners;
mod pops;
mod reading;
mod runs;
mod schedule;
mod search;
mod texts;
mod threads;
mod work;

use std::future::Future;
use std::pin::Pin;

use crate::Store;

type CaseFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// One case.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// What must hold, as the name of a test.
    pub name: &'static str,
    run: for<'a> fn(&'a dyn Store) -> CaseFuture<'a>,
}

impl Case {
    /// Holds a new, empty store against the case.
    ///
    /// # Panics
    /// If the store does not do what the case wants, or [`Store::verify`] finds a fault in it afterwards.
    pub async fn run(&self, store: &dyn Store) {
        (self.run)(store).await;
        let verified = store.verify().await.unwrap();
        assert_eq!(verified.faults, [], "{}: what verify finds afterwards", self.name);
    }
}

macro_rules! cases {
    ($($module:ident: $($name:ident),+ $(,)?;)+) => {
        /// All cases.
        pub const CASES: &[Case] = &[
            $($(Case { name: stringify!($name), run: |store| Box::pin($module::$name(store)) },)+)+
        ];
    };
}

cases! {
    order:
        sequence_numbers_count_from_zero_without_gaps,
        b29_equal_timestamps_keep_the_order_of_appending,
        what_is_imported_stands_by_its_own_date,
        what_is_imported_is_not_later_than_its_import,
        what_is_imported_without_a_date_stands_where_it_stood,
        what_answers_is_not_before_what_it_answers,
        times_are_cut_to_the_microsecond;
    append:
        b76_a_second_append_of_a_key_gives_the_first,
        b76_a_key_counts_inside_its_batch_and_before_all_else,
        b74_who_expects_another_head_appends_nothing,
        a_batch_is_appended_whole_or_not_at_all,
        an_empty_batch_appends_nothing,
        a_reused_message_id_keeps_both,
        a_mail_is_kept_as_it_came,
        equal_contents_are_kept_once,
        messages_are_kept_as_they_came;
    mails:
        an_answer_joins_the_thread_it_refers_to,
        a_root_that_comes_last_merges_threads,
        a_merged_thread_is_found_by_its_old_id,
        a_stranger_opens_a_thread,
        a_thread_that_is_named_is_taken,
        the_newest_inbound_mail_is_found;
    threads:
        merging_puts_each_at_its_place,
        merging_needs_two_threads,
        splitting_moves_what_follows,
        splitting_takes_runs_and_notices_along,
        splitting_keeps_cards_with_their_run,
        splitting_tells_who_takes_part_where,
        threads_are_listed_newest_first_by_pages,
        a_summary_tells_of_its_thread,
        a_name_leads_to_one_thread;
    runs:
        a_run_is_begun_once,
        rounds_are_read_beside_what_they_answer,
        b76_a_round_is_recorded_once,
        what_a_run_appends_is_its_own,
        rounds_of_scheduled_work_stand_beside_what_it_wrote,
        rounds_follow_the_order_in_which_runs_began,
        personas_differ_without_regard_to_case,
        b29_ids_that_repeat_in_a_thread_are_numbered,
        ids_stay_apart_across_merge_and_split,
        outcomes_go_to_their_round,
        a_run_writes_no_earlier_than_it_wrote_before,
        b76_a_whole_run_is_imported_once;
    leases:
        one_run_has_a_thread,
        the_same_run_goes_on_after_its_lease_lapsed,
        a_lease_is_renewed_until_somebody_takes_it,
        a_lease_that_is_given_back_is_free_at_once,
        who_is_fenced_off_writes_nothing,
        a_run_ends_once,
        a_run_that_has_ended_repeats_but_writes_nothing,
        others_tell_that_a_run_is_lost,
        a_run_is_asked_to_stop,
        a_clock_that_was_wrong_locks_no_thread,
        a_renewal_follows_a_clock_that_was_set_back,
        leases_follow_merge_and_split,
        what_a_run_says_stands_in_its_thread;
    schedule:
        what_is_scheduled_is_listed_by_its_time,
        the_same_is_scheduled_once,
        what_is_scheduled_stays_until_its_run_has_ended,
        what_was_taken_back_is_not_begun,
        scheduled_work_follows_merge_and_split,
        scheduled_work_is_forgotten_with_its_thread_and_its_run;
    answers:
        b76_a_run_has_one_answer,
        who_is_fenced_off_answers_nothing,
        answers_are_those_of_a_persona_to_a_message,
        an_answer_is_found_through_merge_and_split_and_fork,
        an_answer_that_is_popped_or_erased_does_not_stand;
    work:
        runs_are_listed_newest_first,
        all_rounds_of_a_run_are_read,
        what_is_spent_adds_up,
        a_step_is_begun_once,
        requests_are_kept_as_they_were_sent,
        requests_are_forgotten_with_what_they_may_hold;
    moments:
        what_came_later_is_not_there,
        a_message_is_of_the_kind_that_it_was,
        a_fork_reads_as_of_a_moment,
        a_card_is_claimed_once,
        what_has_lapsed_is_not_claimed,
        waiting_cards_of_all_threads_are_found;
    cards:
        a_card_is_settled_once,
        what_is_no_card_is_not_settled,
        open_cards_are_read_newest_first,
        a_card_is_settled_in_the_language_of_now,
        what_has_lapsed_is_settled_once,
        who_claimed_a_card_and_is_gone_lost_it,
        nothing_is_told_of_a_card_that_was_erased;
    messages:
        a_message_is_kept_whole,
        files_of_a_message_are_kept_and_forgotten_with_it,
        an_edited_message_reads_as_its_newest_version,
        b76_an_edit_of_a_key_is_appended_once,
        b74_an_edit_moves_the_head,
        b57_a_nul_in_a_text_is_kept,
        only_messages_are_edited,
        a_search_finds_the_newest_version,
        every_version_is_forgotten_with_its_message;
    pops:
        resets_are_kept_whole,
        the_newest_is_popped_whoever_wrote_it,
        popping_a_reset_changes_only_its_kind,
        an_edited_message_is_popped_with_its_newest_version;
    forks:
        a_fork_reads_what_was_there_and_then_its_own,
        a_fork_is_read_by_pages,
        a_fork_of_a_fork_reads_all_that_stood_before,
        forks_end_at_a_hundred_threads,
        a_fork_needs_an_entry_that_its_thread_reads,
        a_fork_pops_what_it_has_of_its_own,
        cards_of_what_was_there_are_open_in_a_fork,
        b29_ids_that_repeat_stay_apart_in_a_fork,
        b29_ids_that_repeat_stay_apart_when_a_fork_is_split,
        b29_ids_that_repeat_stay_apart_when_a_thread_joins_a_fork,
        forgetting_the_old_thread_empties_what_a_fork_reads_of_it,
        what_a_fork_reads_is_not_split_off,
        a_fork_follows_a_thread_that_was_merged,
        merging_changes_nothing_of_what_forks_read,
        a_mail_merges_no_thread_that_a_fork_would_read,
        an_anchor_of_a_fork_may_stand_in_what_was_there;
    texts:
        a_text_is_kept_for_all_files_of_one_content,
        a_newer_text_takes_the_place_of_the_older,
        a_file_is_known_as_it_was_first_listed,
        a_text_is_forgotten_with_the_content;
    reading:
        b31_the_newest_entries_are_read,
        a_thread_is_read_by_pages,
        one_kind_is_read_alone,
        any_kinds_are_read_newest_first,
        what_stands_between_two_places_is_read,
        tool_use_of_other_agents_is_not_read,
        the_log_is_walked_from_a_number,
        b79_a_thousand_turns_take_a_thousand_rows_each;
    search:
        all_words_must_be_there,
        quoted_words_stand_together,
        nothing_is_an_operator,
        marks_and_case_do_not_count;
    anchors:
        an_anchor_moves_only_forward,
        an_anchor_leads_past_what_was_erased,
        an_anchor_is_kept_for_its_key,
        an_anchor_needs_what_it_names;
    owners:
        b78_another_owner_reads_nothing,
        b78_another_owner_changes_nothing,
        b78_owners_do_not_share_keys_or_ids,
        b78_texts_of_another_owner_are_not_there;
    forget:
        a_trial_tells_what_is_erased,
        an_owner_is_forgotten,
        a_correspondent_is_forgotten,
        a_correspondent_is_forgotten_with_threads,
        a_thread_is_forgotten,
        what_is_old_is_forgotten,
        a_run_goes_with_what_it_answers,
        what_others_have_too_stays,
        what_was_forgotten_does_not_come_back,
        what_is_erased_takes_nothing_more,
        forgetting_nothing_changes_nothing;
}
