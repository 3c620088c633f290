//! Which messages of two lists are the same: anchors that are unique in both, from there outwards, at a bounded cost.

use std::collections::HashMap;

/// How often gaps are looked into again for what became unique inside them.
const ROUNDS: usize = 6;

/// The pairs of equal elements, ascending on both sides. Costs O(n log n) in the length of both lists, whatever is in them, and
/// is not always the longest such list: elements that repeat are matched only beside others, or where they stand alone.
pub(crate) fn align(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let mut matches = Vec::new();
    let mut gaps = vec![Gap { a: (0, a.len()), b: (0, b.len()) }];
    for _ in 0..ROUNDS {
        let mut smaller = Vec::new();
        for gap in gaps {
            let gap = gap.trimmed(a, b, &mut matches);
            let anchors = gap.anchors(a, b);
            if !anchors.is_empty() {
                gap.between(&anchors, &mut smaller);
                matches.extend(anchors);
            }
        }
        gaps = smaller;
    }
    matches.sort_unstable();
    matches
}

/// A stretch of both lists in which nothing is matched yet.
#[derive(Clone, Copy)]
struct Gap {
    a: (usize, usize),
    b: (usize, usize),
}

impl Gap {
    /// Without what is equal at both ends.
    fn trimmed(mut self, a: &[u64], b: &[u64], matches: &mut Vec<(usize, usize)>) -> Self {
        while self.a.0 < self.a.1 && self.b.0 < self.b.1 && a.get(self.a.0) == b.get(self.b.0) {
            matches.push((self.a.0, self.b.0));
            self.a.0 += 1;
            self.b.0 += 1;
        }
        while self.a.0 < self.a.1 && self.b.0 < self.b.1 && a.get(self.a.1 - 1) == b.get(self.b.1 - 1) {
            self.a.1 -= 1;
            self.b.1 -= 1;
            matches.push((self.a.1, self.b.1));
        }
        self
    }

    /// What stands once in each side of the gap, as long as it ascends on both.
    fn anchors(self, a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
        if self.a.0 == self.a.1 || self.b.0 == self.b.1 {
            return Vec::new();
        }
        let (ours, theirs) = (once(a, self.a), once(b, self.b));
        let mut pairs: Vec<(usize, usize)> =
            ours.into_iter().filter_map(|(print, at)| Some((at?, (*theirs.get(&print)?)?))).collect();
        pairs.sort_unstable();
        ascending(&pairs)
    }

    /// The gaps that anchors leave.
    fn between(self, anchors: &[(usize, usize)], out: &mut Vec<Self>) {
        let (mut a, mut b) = (self.a.0, self.b.0);
        for (at_a, at_b) in anchors.iter().copied().chain([(self.a.1, self.b.1)]) {
            out.push(Self { a: (a, at_a), b: (b, at_b) });
            (a, b) = (at_a + 1, at_b + 1);
        }
    }
}

/// Where each element stands in that stretch; none if it stands there more than once.
fn once(list: &[u64], (start, end): (usize, usize)) -> HashMap<u64, Option<usize>> {
    let mut found = HashMap::new();
    for (at, print) in list.iter().enumerate().take(end).skip(start) {
        found.entry(*print).and_modify(|place| *place = None).or_insert(Some(at));
    }
    found
}

/// The longest run of pairs whose second halves ascend; the first halves do already.
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The pair that ends the best run of each length, and before each pair the one it continues.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let second = |at: &usize| pairs.get(*at).map_or(usize::MAX, |pair| pair.1);
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| second(end) < pair.1);
        before.push(length.checked_sub(1).and_then(|shorter| ends.get(shorter).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut run: Vec<(usize, usize)> = std::iter::successors(ends.last().copied(), |at| before.get(*at).copied().flatten())
        .filter_map(|at| pairs.get(at).copied())
        .collect();
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_stepped_window_matches_its_rest_though_messages_repeat() {
        // 7 is an "ok" that comes again and again.
        let (a, b) = ([1, 7, 2, 7, 3, 7], [7, 3, 7, 4, 7]);
        assert_eq!(align(&a, &b), [(3, 0), (4, 1), (5, 4)]);
    }

    #[test]
    fn what_changed_places_is_matched_once() {
        assert_eq!(align(&[1, 2, 3, 4], &[1, 3, 2, 4]), [(0, 0), (2, 1), (3, 3)]);
        assert_eq!(align(&[], &[1]), []);
    }

    proptest! {
        #[test]
        fn matches_are_equal_and_ascend(a in prop::collection::vec(0u64..8, 0..40), b in prop::collection::vec(0u64..8, 0..40)) {
            let matches = align(&a, &b);
            for (at_a, at_b) in &matches {
                prop_assert_eq!(a[*at_a], b[*at_b]);
            }
            prop_assert!(matches.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
        }

        #[test]
        fn a_list_matches_itself_and_what_it_grew_to(a in prop::collection::vec(0u64..8, 0..40), more in prop::collection::vec(0u64..8, 0..8)) {
            let grown: Vec<u64> = a.iter().chain(&more).copied().collect();
            let all: Vec<_> = (0..a.len()).map(|at| (at, at)).collect();
            prop_assert_eq!(align(&a, &grown), all);
        }
    }
}
