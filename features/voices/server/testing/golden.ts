import { lookUp } from '../../../../tests/golden/cases/operations.ts'
import type { GoldenCases } from '../../../../tests/golden/recorder.ts'

export const golden: GoldenCases = { voices: lookUp('/v1/audio/voices?model=tts-1') }
