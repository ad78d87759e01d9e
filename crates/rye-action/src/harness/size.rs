//! The size of a request, by which its tokens are estimated.

/// The size of a request, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// All of it.
    pub all: u64,
    /// The model's last answer in it.
    pub answer: u64,
    /// What came after that answer; everything in a first request.
    pub after: u64,
    /// Its tokens, if the provider counted them.
    pub counted: Option<u64>,
    /// How much of the last request is sent again.
    pub kept: u64,
    /// How long the last request was; 0 if all of it is sent again.
    pub last: u64,
}

impl Size {
    /// Returns how many of the last request's tokens are sent again: the provider's count of them, by the bytes that are left.
    #[must_use]
    pub fn sent_again(&self, tokens: u64) -> u64 {
        if self.kept >= self.last {
            return tokens;
        }
        let again = (u128::from(tokens) * u128::from(self.kept)).div_ceil(u128::from(self.last));
        u64::try_from(again).unwrap_or(tokens)
    }
}
