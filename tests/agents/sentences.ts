import type { AgentRun } from './start-process.ts'

const SENTENCE_CHARS_MAX = 300
const TAIL_CHARS = 400

/** Ids, paths and addresses, which differ from run to run. */
const CHANGING =
  /,? \(?request id: \w+\)?| Full report available at: \S+|,? url: [^\s,]+|(?<=gateway) \(127\.0\.0\.1:\d+\)/g

/** The last line with the reason. */
export const findSentence = ({ output }: AgentRun, reason: RegExp): string | undefined =>
  output
    .split('\n')
    .findLast(line => reason.test(line))
    ?.replace(CHANGING, '')
    .trim()
    .slice(0, SENTENCE_CHARS_MAX)

export const tail = ({ output }: AgentRun): string => output.trim().slice(-TAIL_CHARS).replace(/\s+/g, ' ')

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
