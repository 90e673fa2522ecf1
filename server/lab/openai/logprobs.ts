const LOGPROB = -0.25

const entry = (token: string, logprob: number) => ({ token, logprob, bytes: [...Buffer.from(token)] })

/** The log probability of a token, the same for all, with the most likely tokens at its place. */
export const tokenLogprob = (token: string, topCount: number) => ({
  ...entry(token, LOGPROB),
  top_logprobs: Array.from({ length: topCount }, (_, rank) =>
    entry(rank === 0 ? token : `${token}${rank}`, LOGPROB * (rank + 1)),
  ),
})
