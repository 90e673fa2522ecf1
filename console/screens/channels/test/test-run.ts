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
  readonly open: number
}

export function summaryOf(results: TestResults): TestSummary {
  const states = [...results.values()].map(result => result.state)
  const count = (state: ModelTest['state']) => states.filter(found => found === state).length
  return {
    passed: count('passed'),
    failed: count('failed'),
    open: count('waiting') + count('running'),
  }
}

export const failingModels = (results: TestResults): string[] =>
  [...results].filter(([, result]) => result.state === 'failed').map(([model]) => model)

/** Results without what was stopped before it ended. */
export const withoutOpen = (results: TestResults): TestResults =>
  new Map([...results].filter(([, { state }]) => state === 'passed' || state === 'failed'))
