//! The chain: resolvers in declared order, and what a run makes of them.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::call::Call;
use crate::context::Context;
use crate::fit::{
    Bounds, Briefing, Class, FitError, Gather, Gathered, Line, Material, Origin, Piece, Rule, Section, Told, Unvisited, plan,
};
use crate::message::EntryId;
use crate::ports::PortError;
use crate::resolver::{AnyResolver, Contribution, ResolveError, Resolver};
use crate::view::{HistoryView, current_message};

type Maker = Arc<dyn Fn() -> Box<dyn AnyResolver> + Send + Sync>;

/// Resolvers in the order in which they contribute. Each is made afresh for a run. Cloning shares the factories.
#[derive(Clone, Default)]
pub struct Chain {
    makers: Vec<Maker>,
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.makers.iter().map(|maker| maker().any_name())).finish()
    }
}

/// Why no briefing could be assembled.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// A resolver failed; the run fails with it.
    #[error("the resolver {resolver} failed: {source}")]
    Resolver {
        /// Its name.
        resolver: String,
        /// What it failed with.
        #[source]
        source: ResolveError,
    },
    /// A resolver contributed to a class that is not a resolver's to give.
    #[error("the resolver {resolver} contributed to {class}, which the run itself gives")]
    Class {
        /// Its name.
        resolver: String,
        /// The class.
        class: Class,
    },
    /// A file of the current message could not be read.
    #[error(transparent)]
    Port(#[from] PortError),
    /// Nothing fits.
    #[error(transparent)]
    Fit(#[from] FitError),
}

impl Chain {
    /// A chain of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more resolver at its end; `make` is called once a run.
    #[must_use]
    pub fn with<R: Resolver>(mut self, make: impl Fn() -> R + Send + Sync + 'static) -> Self {
        self.makers.push(Arc::new(move || Box::new(make())));
        self
    }

    /// The view that its history is told by: that of its first resolver that names one.
    #[must_use]
    pub fn view(&self) -> Option<HistoryView> {
        self.makers.iter().find_map(|make| make().any_view().cloned())
    }

    /// What the model will be sent: every resolver's messages in order, then the current message if there is one.
    ///
    /// # Errors
    /// [`AssembleError`]: a resolver or a port failed, or nothing fits. Nothing was changed then.
    pub async fn assemble(&self, cx: &Context, call: &Call, bounds: &Bounds) -> Result<Briefing, AssembleError> {
        self.assemble_run(cx, &[], call, bounds).await
    }

    /// The same in the middle of a run: its rounds so far stand behind the current message.
    ///
    /// # Errors
    /// As [`assemble`](Self::assemble).
    pub async fn assemble_run(
        &self,
        cx: &Context,
        rounds: &[Piece],
        call: &Call,
        bounds: &Bounds,
    ) -> Result<Briefing, AssembleError> {
        let mut list = List::default();
        let resolvers: Vec<_> = self.makers.iter().map(|make| make()).collect();
        let view = resolvers.iter().find_map(|resolver| resolver.any_view().cloned()).unwrap_or_default();
        for resolver in resolvers {
            let name = resolver.any_name();
            // A view hides by itself, before it cuts.
            let hides = resolver.any_view().is_some();
            match resolver.resolve_boxed(cx).await {
                Ok(Contribution { class: class @ (Class::Current | Class::Run), .. }) => {
                    return Err(AssembleError::Class { resolver: name, class });
                }
                Ok(mut contribution) => {
                    let name: Arc<str> = name.into();
                    if !hides && matches!(contribution.class, Class::History | Class::Summary | Class::Recall) {
                        view.hide_pieces(&mut contribution.pieces, &name, &mut list.lines);
                    }
                    list.add(contribution, name);
                }
                Err(source) => return Err(AssembleError::Resolver { resolver: name, source }),
            }
        }
        let (mut rounds, run): (_, Arc<str>) = (rounds.to_vec(), "run".into());
        view.hide_pieces(&mut rounds, &run, &mut list.lines);
        let mut tail = Gather::new(rounds.into_iter().rev(), run).with_held(list.told.held.clone());
        let run: Vec<_> = tail.by_ref().collect();
        tail.orphans();
        list.lines.extend(tail.lines.into_iter().rev());
        let (current, lines) = current_message(cx, &view, call, bounds).await?;
        list.lines.extend(lines);
        let mut gather = Gather::new(current.into_iter(), "message".into());
        let current = gather.next();
        list.lines.append(&mut gather.lines);
        Ok(list.plan(current, run, call, bounds)?)
    }
}

/// Makes a briefing of contributions alone, in order, without a message that is answered: for who asks views or resolvers
/// themselves. A window of a view holds all that it tells.
///
/// # Errors
/// [`FitError`] if what never yields breaks a bound by itself. A contribution to the current message or the run is history here.
pub fn fit_contributions(
    contributions: impl IntoIterator<Item = Contribution>,
    call: &Call,
    bounds: &Bounds,
) -> Result<Briefing, FitError> {
    let mut list = List::default();
    for contribution in contributions {
        let class = match contribution.class {
            Class::Current | Class::Run => Class::History,
            class @ (Class::Fixed | Class::Pinned | Class::History | Class::Summary | Class::Recall) => class,
        };
        list.add(Contribution { class, ..contribution }, "contribution".into());
    }
    list.plan(None, Vec::new(), call, bounds)
}

/// The contributions of a run, sorted by what yields.
struct List {
    before: Vec<Section>,
    after: Vec<Section>,
    history: Vec<Piece>,
    view: Arc<str>,
    seen: bool,
    lines: Vec<Line>,
    older: Unvisited,
    told: Told,
}

impl Default for List {
    fn default() -> Self {
        Self {
            before: Vec::new(),
            after: Vec::new(),
            history: Vec::new(),
            view: "history".into(),
            seen: false,
            lines: Vec::new(),
            older: Unvisited::Nothing,
            told: Told::default(),
        }
    }
}

impl List {
    fn plan(self, current: Option<Gathered>, run: Vec<Gathered>, call: &Call, bounds: &Bounds) -> Result<Briefing, FitError> {
        let Self { before, after, history, view, lines, older, told, .. } = self;
        let history = Gather::new(history.into_iter().rev(), view).with_held(told.held.clone());
        plan(Material { before, history, after, current, run, lines, older, told }, Arc::new(call.clone()), bounds)
    }

    /// History that was told before is not told again, whichever resolver tells it.
    fn tell(&mut self, pieces: Vec<Piece>) {
        let known: HashSet<EntryId> = self.history.iter().filter_map(|piece| piece.entry).collect();
        for piece in pieces {
            match piece.entry.filter(|entry| known.contains(entry)) {
                Some(entry) => self.lines.push(Line { from: Origin::Entries(vec![entry]), rule: Rule::Twice }),
                None => self.history.push(piece),
            }
        }
    }

    fn add(&mut self, contribution: Contribution, resolver: Arc<str>) {
        self.lines.extend(contribution.lines);
        if contribution.class == Class::History {
            let system = contribution.system.into_iter().rev();
            let (section, lines) = Section::gathered(Class::Fixed, None, system, Arc::clone(&resolver));
            self.lines.extend(lines.into_iter().rev());
            self.before.push(section);
            let known: HashSet<EntryId> = self.told.waiting.iter().map(|card| card.entry).collect();
            self.tell(contribution.pieces);
            let Contribution { window, replay, waiting, held, asides, .. } = contribution;
            let told = &mut self.told;
            told.window = std::mem::take(&mut told.window).and(window);
            told.replay = told.replay.or(replay);
            told.waiting.extend(waiting.into_iter().filter(|card| !known.contains(&card.entry)));
            told.held.extend(held);
            told.asides.extend(asides);
            self.view = resolver;
            self.seen = true;
            if contribution.unvisited != Unvisited::Nothing {
                self.older = contribution.unvisited;
            }
            return;
        }
        let newest_first = contribution.pieces.into_iter().rev();
        let (section, lines) = Section::gathered(contribution.class, contribution.reserve, newest_first, resolver);
        self.lines.extend(lines.into_iter().rev());
        if self.seen { self.after.push(section) } else { self.before.push(section) }
    }
}
