import type { Route } from './api/handle.ts'

/** What the server's half of a feature, a folder in `features`, adds to the program. */
export interface Feature {
  /** Endpoints of the management API, made by `handle`. */
  readonly routes?: readonly Route[]
}

/** Declares a feature in `features/<name>/server/index.ts`, the file that the program finds by its folder. */
export const defineFeature = (feature: Feature): Feature => feature
