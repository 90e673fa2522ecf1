import { type ReactNode, Suspense } from 'react'

/** Nothing around the page: for sign-in and the like. */
export const BareFrame = ({ children }: { readonly children: ReactNode }) => (
  <main id="content" className="min-h-dvh">
    <Suspense fallback={null}>{children}</Suspense>
  </main>
)
