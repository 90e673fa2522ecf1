import { useEffect, useRef, useState } from 'react'
import { plainErrorText } from '../../../app/call-error.ts'
import { runEach } from '../../../ui/run-each.ts'
import { testModel, useChannelWrites } from '../queries.ts'
import { type ModelTest, type TestResults, withoutOpen } from './test-run.ts'

interface RunOptions {
  readonly atOnce: number
  /** Asks for streams and reads them to their end. */
  readonly isStreamed: boolean
}

const NOTHING: TestResults = new Map()

/** Tests models of a channel, a few at a time. Stops when its dialog closes. */
export function useTestRun(id: number) {
  const { refresh } = useChannelWrites()
  const [results, setResults] = useState(NOTHING)
  const [isRunning, setRunning] = useState(false)
  const stopper = useRef<AbortController>(undefined)
  useEffect(() => () => stopper.current?.abort(), [])

  const note = (model: string, result: ModelTest) => setResults(before => new Map(before).set(model, result))

  const run = async (models: readonly string[], { atOnce, isStreamed }: RunOptions) => {
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
    await runEach(models, work, { atOnce, signal: stopping.signal, onSettled })
    setResults(withoutOpen)
    setRunning(false)
    await refresh(id)
  }

  return { results, isRunning, run, stop: () => stopper.current?.abort() }
}
