import { useEffect, useRef, useState } from 'react'
import { plainErrorText } from '../../../app/api/call.ts'
import { runEach } from '../../../app/list/bulk-work.tsx'
import { testModel, useChannelMutations } from '../queries.ts'

export interface ModelTest {
  readonly state: 'waiting' | 'running' | 'passed' | 'failed'
  /** Of the whole test; undefined until it has ended. */
  readonly seconds?: number
  /** Why it failed. */
  readonly reason?: string
}

export type TestResults = ReadonlyMap<string, ModelTest>

export interface TestSummary {
  readonly passed: number
  readonly failed: number
  readonly unfinished: number
}

export function summarizeTests(results: TestResults): TestSummary {
  const states = [...results.values()].map(result => result.state)
  const count = (state: ModelTest['state']) => states.filter(found => found === state).length
  return {
    passed: count('passed'),
    failed: count('failed'),
    unfinished: count('waiting') + count('running'),
  }
}

export const failingModels = (results: TestResults): string[] =>
  [...results].filter(([, result]) => result.state === 'failed').map(([model]) => model)

/** Results without what was stopped before it ended. */
export const keepFinished = (results: TestResults): TestResults =>
  new Map([...results].filter(([, { state }]) => state === 'passed' || state === 'failed'))

interface TestRunOptions {
  readonly concurrency: number
  /** Asks for streams and reads them to their end. */
  readonly isStreamed: boolean
}

const NO_RESULTS: TestResults = new Map()

/** Tests models of a channel, a few at a time. Stops when its dialog closes. */
export function useTestRun(id: number) {
  const { refresh } = useChannelMutations()
  const [results, setResults] = useState(NO_RESULTS)
  const [isRunning, setRunning] = useState(false)
  const stopper = useRef<AbortController>(undefined)
  useEffect(() => () => stopper.current?.abort(), [])

  const note = (model: string, result: ModelTest) => setResults(before => new Map(before).set(model, result))

  const run = async (models: readonly string[], { concurrency, isStreamed }: TestRunOptions) => {
    const stopping = new AbortController()
    stopper.current = stopping
    setRunning(true)
    for (const model of models) note(model, { state: 'waiting' })
    const work = async (model: string, signal: AbortSignal) => {
      note(model, { state: 'running' })
      note(model, { state: 'passed', seconds: await testModel(id, { model, isStreamed }, signal) })
    }
    const onSettled = (model: string, error: unknown) => {
      if (error !== undefined) note(model, { state: 'failed', reason: plainErrorText(error) })
    }
    await runEach(models, work, { concurrency: concurrency, signal: stopping.signal, onSettled })
    setResults(keepFinished)
    setRunning(false)
    await refresh(id)
  }

  return { results, isRunning, run, stop: () => stopper.current?.abort() }
}
