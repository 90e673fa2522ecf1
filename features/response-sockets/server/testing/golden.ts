import { converse, count } from '../../../../tests/golden/cases/sockets.ts'
import type { GoldenCases } from '../../../../tests/golden/recorder.ts'

const MODEL = 'gpt-4o-mini'

export const golden: GoldenCases = {
  'turns over a socket': client =>
    converse(client, {
      path: '/v1/responses',
      token: 'socket',
      turns: [1, 2].map(turn => [
        { type: 'response.create', model: MODEL, input: `turn ${turn} [lab: tokens-2]`, store: false },
        frames => count(frames, 'response.completed') === turn,
      ]),
    }),
}
