import { type ComponentType, lazy } from 'react'

/** A component whose code arrives with its first use. `preload` fetches it early, on hover or focus of its opener. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let arriving: Promise<ComponentType<Props>> | undefined
  const once = () => {
    arriving ??= load()
    return arriving
  }
  const Part = lazy(async () => ({ default: await once() }))
  return { Part, preload: () => void once() }
}
