import { useEffect, useRef, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { runEach } from '#console/app/list/run-each.ts'
import { testModel, useChannelMutations } from '../queries.ts'

export interface ModelTest {
  readonly state: 'waiting' | 'running' | 'passed' | 'failed'
  /** Duration of the whole test; undefined until it has finished. */
  readonly seconds?: number
  /** The error of a failed test. */
  readonly reason?: string
}

export type TestResults = ReadonlyMap<string, ModelTest>

interface TestSummary {
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

/** Drops the tests that were stopped before they finished. */
export const keepFinished = (results: TestResults): TestResults =>
  new Map([...results].filter(([, { state }]) => state === 'passed' || state === 'failed'))

interface TestRunOptions {
  readonly concurrency: number
  /** Requests streams and reads them to the end. */
  readonly isStreamed: boolean
}

const NO_RESULTS: TestResults = new Map()

/** Tests models of a channel, several at a time. Stops when the dialog closes. */
export function useTestRun(id: number) {
  const { refresh } = useChannelMutations()
  const [results, setResults] = useState(NO_RESULTS)
  const [isRunning, setRunning] = useState(false)
  const abortRef = useRef<AbortController>(undefined)
  useEffect(() => () => abortRef.current?.abort(), [])

  const setResult = (model: string, result: ModelTest) =>
    setResults(before => new Map(before).set(model, result))

  const run = async (models: readonly string[], { concurrency, isStreamed }: TestRunOptions) => {
    const abort = new AbortController()
    abortRef.current = abort
    setRunning(true)
    for (const model of models) setResult(model, { state: 'waiting' })
    const work = async (model: string, signal: AbortSignal) => {
      setResult(model, { state: 'running' })
      setResult(model, { state: 'passed', seconds: await testModel(id, { model, isStreamed }, signal) })
    }
    const onSettled = (model: string, error: unknown) => {
      if (error !== undefined) setResult(model, { state: 'failed', reason: plainErrorText(error) })
    }
    await runEach(models, work, { concurrency, signal: abort.signal, onSettled })
    setResults(keepFinished)
    setRunning(false)
    await refresh(id)
  }

  return { results, isRunning, run, stop: () => abortRef.current?.abort() }
}
