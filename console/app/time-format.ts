import { createStore, useStore } from '../ui/create-store.ts'
import { readStored, writeStored } from './local-store.ts'

export const TIME_FORMATS = ['exact', 'relative'] as const
export type TimeFormat = (typeof TIME_FORMATS)[number]

const format = createStore<TimeFormat>(readStored('time-format') === 'relative' ? 'relative' : 'exact')

/** Whether moments are written as date and time, or as how long ago they were. */
export const useTimeFormat = (): TimeFormat => useStore(format)

export function chooseTimeFormat(chosen: TimeFormat): void {
  writeStored('time-format', chosen === 'exact' ? undefined : chosen)
  format.set(chosen)
}
