import { type ComponentType, lazy } from 'react'

/** A component whose code loads on first use. `preload` loads it early, on hover or focus of its opener. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loading: Promise<ComponentType<Props>> | undefined
  const loadOnce = () => {
    loading ??= load()
    return loading
  }
  const Part = lazy(async () => ({ default: await loadOnce() }))
  return { Part, preload: () => void loadOnce() }
}
