//! The lines of a patch. What files contain controls no terminal, and every colour is this program's own.

use super::{Paint, clean};

/// Writes the lines of a patch, one after the other.
#[derive(Debug)]
pub(in crate::cli) struct Patch {
    paint: Paint,
    /// How many lines of the old and of the new file the part still has that is being written.
    left: (usize, usize),
}

impl Patch {
    pub(in crate::cli) const fn new(paint: Paint) -> Self {
        Self { paint, left: (0, 0) }
    }

    /// Returns a line as it is shown.
    pub(in crate::cli) fn line(&mut self, line: &str) -> String {
        // A file with line ends of two characters shows them as git does.
        let (text, end) = line.strip_suffix('\r').map_or((line, ""), |text| (text, "^M"));
        let shown = clean(text) + end;
        let paint = self.paint;
        if self.left == (0, 0) {
            return self.head(text, shown);
        }
        let (old, new) = self.left;
        match text.as_bytes().first() {
            Some(b'+') => {
                self.left = (old, new.saturating_sub(1));
                paint.green(shown)
            }
            Some(b'-') => {
                self.left = (old.saturating_sub(1), new);
                paint.red(shown)
            }
            // Such as that a line has no line feed.
            Some(b'\\') => shown,
            Some(_) | None => {
                self.left = (old.saturating_sub(1), new.saturating_sub(1));
                shown
            }
        }
    }

    /// Writes a line that is of no part: the head of a file, or the beginning of a part.
    fn head(&mut self, text: &str, shown: String) -> String {
        if let Some(left) = lengths(text) {
            self.left = left;
            return self.paint.cyan(shown);
        }
        let is_name = ["diff ", "index ", "--- ", "+++ "].iter().any(|start| text.starts_with(start));
        if is_name { self.paint.bold(shown) } else { shown }
    }
}

/// Reads how many lines of both files follow: `@@ -1,7 +1,6 @@`.
fn lengths(text: &str) -> Option<(usize, usize)> {
    let (ranges, _) = text.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let length = |range: &str| range.split_once(',').map_or(Some(1), |(_, length)| length.parse().ok());
    Some((length(old)?, length(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_of_a_patch_is_its_own() {
        let mut patch = Patch::new(Paint::new(true));
        let lines = [
            "diff --git a/x b/x",
            "--- a/x",
            "+++ b/x",
            "@@ -1,2 +1,2 @@ f\u{1b}[2J",
            "--- old",
            "+\u{1b}[31mx\r",
            " y\u{202e}",
        ];
        let shown: Vec<String> = lines.iter().map(|line| patch.line(line)).collect();
        let paint = Paint::new(true);
        let expected = [
            paint.bold("diff --git a/x b/x"),
            paint.bold("--- a/x"),
            paint.bold("+++ b/x"),
            paint.cyan("@@ -1,2 +1,2 @@ f\u{FFFD}[2J"),
            paint.red("--- old"),
            paint.green("+\u{FFFD}[31mx^M"),
            " y\\u{202e}".to_owned(),
        ];
        assert_eq!(shown, expected);
        assert_eq!(patch.line("-- 1 file changed"), "-- 1 file changed");
    }
}
