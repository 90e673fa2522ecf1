import { Component, type ComponentType, createElement, lazy, type ReactNode, useState } from 'react'
import { createStore } from './store.ts'

/** The code of a part could not be loaded: the network is down, or an update has removed the file. */
export class PartLoadError extends Error {}

type Load<Props> = () => Promise<ComponentType<Props>>

/**
 * A component whose code loads on first use. `preload` loads it early, on hover or focus of its opener. Until the code
 * that could not be loaded is asked for again, nothing is shown in its place but a message.
 */
export function lazyPart<Props extends object>(load: Load<Props>) {
  const code = loadOnDemand(load)
  let Loaded = createLazy(code.loaded, code.load)
  const forget = () => {
    code.forget()
    Loaded = createLazy(code.loaded, code.load)
  }
  const Part = (props: Props) =>
    createElement(PartBoundary, { onLoadFailure: forget }, createElement<Props>(Loaded, props))
  return { Part, preload: code.preload }
}

/**
 * Like `lazyPart` for a page or its layout, without which nothing can be shown: `recover` may replace code that could not
 * be loaded, and its error reaches the error page.
 */
export function lazyPage<Props extends object>(
  load: Load<Props>,
  recover?: (error: unknown) => Promise<ComponentType<Props>>,
) {
  const code = loadOnDemand(load)
  const Part = createLazy(code.loaded, () => (recover ? code.load().catch(recover) : code.load()))
  return { Part, preload: code.preload }
}

/**
 * Renders code that is already loaded at once. React's `lazy` would suspend even then, and React reveals what has suspended
 * only after 300 ms.
 */
function createLazy<Props extends object>(loaded: () => ComponentType<Props> | undefined, load: Load<Props>) {
  const Loading = lazy(async () => ({ default: await load() }))
  return function LoadedOrLazy(props: Props) {
    const [Code] = useState<ComponentType<Props>>(() => loaded() ?? Loading)
    return createElement(Code, props)
  }
}

/** Loads once. A failed preload resolves all the same and is forgotten, since the code is not needed yet. */
function loadOnDemand<Props>(load: Load<Props>) {
  let loading: Promise<ComponentType<Props>> | undefined
  let loaded: ComponentType<Props> | undefined
  const loadOnce = () => {
    loading ??= load().catch((error: unknown) => {
      throw new PartLoadError(error instanceof Error ? error.message : String(error), { cause: error })
    })
    return loading
  }
  const forget = () => {
    loading = undefined
  }
  const preload = async (): Promise<void> => {
    try {
      loaded = await loadOnce()
    } catch {
      forget()
    }
  }
  return { load: loadOnce, loaded: () => loaded, forget, preload }
}

/** How many of the mounted parts have no code. */
export const failedParts = createStore(0)

interface PartBoundaryProps {
  readonly onLoadFailure: () => void
  readonly children?: ReactNode
}

/** Keeps a part without code from taking the page down with it. Other errors pass. */
class PartBoundary extends Component<PartBoundaryProps, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {}

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidCatch() {
    this.props.onLoadFailure()
    failedParts.set(failedParts.get() + 1)
  }

  override componentWillUnmount() {
    if ('error' in this.state) failedParts.set(failedParts.get() - 1)
  }

  override render() {
    if (!('error' in this.state)) return this.props.children
    if (this.state.error instanceof PartLoadError) return null
    throw this.state.error
  }
}
