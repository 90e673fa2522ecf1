import { Suspense, useState } from 'react'
import { lazyPart } from '../../ui/lazy-part.ts'

const dialog = lazyPart(async () => (await import('./long-text-dialog.tsx')).LongTextDialog)

interface LongTextProps {
  /** Title of the dialog. */
  readonly label: string
  readonly children: string
  readonly isProblem?: boolean
}

/** Truncated text that opens in a dialog. */
export function LongText({ label, children, isProblem = false }: LongTextProps) {
  const [isOpen, setOpen] = useState(false)
  if (children === '') return null
  return (
    <>
      <button
        type="button"
        title={children}
        aria-haspopup="dialog"
        onPointerEnter={dialog.preload}
        onFocus={dialog.preload}
        onClick={() => setOpen(true)}
        className={`block max-w-full truncate touch-line sm:max-w-56 rounded-control text-left hover:underline underline-offset-2 ${isProblem ? 'text-danger' : ''}`}
      >
        {children}
      </button>
      <Suspense fallback={null}>
        {isOpen && <dialog.Part title={label} text={children} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}
