//! What the repository has that a push goes to, as it says itself. What refs here say of it proves nothing: anybody who writes this
//! repository writes them.

use crate::git::{CommitId, Error, Git};

impl Git {
    /// Asks for the ids of all refs at a URL. It is the URL itself that is asked, and nothing that the configuration puts in its place.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::Command`] with what git says, or [`Error::CommandOutput`] if something else would be asked.
    pub fn ids_at(&self, url: &str) -> Result<Vec<String>, Error> {
        let command = "git ls-remote";
        let named = self.run(&["ls-remote", "--get-url", "--", url], &[])?;
        self.finish(&named, command)?;
        if named.stdout.strip_suffix(b"\n") != Some(url.as_bytes()) {
            let reason = "the configuration has git ask another repository".to_owned();
            return Err(Error::CommandOutput { command: command.to_owned(), reason });
        }
        let ended = self.run(&["ls-remote", "--quiet", "--", url], &[])?;
        self.finish(&ended, command)?;
        // A long list may be cut off: what is not known is looked at.
        let text = String::from_utf8_lossy(&ended.stdout);
        let ids = text.lines().filter_map(|line| line.split_once('\t')).filter_map(|(id, _)| CommitId::parse(id).ok());
        let mut ids: Vec<String> = ids.map(|id| id.to_string()).collect();
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    /// Lists the URLs that a push to a remote goes to.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`] with what git says.
    fn push_urls(&self, remote: &str) -> Result<Vec<String>, Error> {
        self.urls(remote, &["--push", "--all"])
    }

    /// Tells whether pushes to a remote go where fetches from it come from, and nowhere else.
    ///
    /// # Errors
    /// As `git remote get-url`: [`Error::Start`], or [`Error::Command`].
    pub fn pushes_where_it_fetches(&self, remote: &str) -> Result<bool, Error> {
        let fetched = self.urls(remote, &[])?;
        Ok(self.push_urls(remote)?.iter().all(|url| fetched.contains(url)))
    }

    fn urls(&self, remote: &str, options: &[&str]) -> Result<Vec<String>, Error> {
        let ended = self.run(&[&["remote", "get-url"], options, &["--", remote]].concat(), &[])?;
        self.finish(&ended, &format!("git remote get-url {remote}"))?;
        Ok(String::from_utf8_lossy(&ended.stdout).lines().map(str::to_owned).collect())
    }

    /// Asks every repository that a push to a remote goes to for the ids of its refs, and returns those that all of them have.
    ///
    /// # Errors
    /// As [`ids_at`](Self::ids_at).
    pub fn ids_behind(&self, remote: &str) -> Result<Vec<String>, Error> {
        let mut common: Option<Vec<String>> = None;
        for url in self.push_urls(remote)? {
            let ids = self.ids_at(&url)?;
            common = Some(match common {
                Some(common) => common.into_iter().filter(|id| ids.binary_search(id).is_ok()).collect(),
                None => ids,
            });
        }
        Ok(common.unwrap_or_default())
    }
}
