import { Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from '../../ui/buttons/button.tsx'
import { CopyButton } from '../../ui/buttons/copy-button.tsx'
import { createStore, useStore } from '../../ui/store.ts'
import { readStored, writeStored } from './local-store.ts'

const masked = createStore(readStored('masked') === 'true')

/** Whether amounts, names and keys are hidden from people looking over the shoulder. Copying still gives the real value. */
export const useMasked = (): boolean => useStore(masked)

export function toggleMask(): void {
  const next = !masked.get()
  writeStored('masked', next ? 'true' : undefined)
  masked.set(next)
}

const MASK = '••••'

/** A name or address of a person; hidden while amounts are. */
export function PrivateText({ children }: { readonly children: string }) {
  return useMasked() ? MASK : children
}

interface SecretCellProps {
  readonly secret: string
  /** Enough to tell it from others. */
  readonly masked: string
  /** Tells nothing; shown while amounts are hidden. */
  readonly hidden: string
  readonly labels: { readonly show: string; readonly hide: string; readonly copy: string }
}

/** A secret of a row behind a mask, with reveal and copy. Hiding amounts hides what was revealed before. */
export function SecretCell({ secret, masked, hidden, labels }: SecretCellProps) {
  const isPrivate = useMasked()
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (isPrivate) setShown(false)
  }, [isPrivate])
  return (
    <span className="flex items-center gap-0.5 coarse:gap-3">
      <code className="mr-1 font-mono text-caption whitespace-nowrap">
        {isShown ? secret : isPrivate ? hidden : masked}
      </code>
      <IconButton
        label={isShown ? labels.hide : labels.show}
        icon={isShown ? EyeOff : Eye}
        aria-pressed={isShown}
        size="small"
        onClick={() => setShown(!isShown)}
      />
      <CopyButton text={secret} label={labels.copy} />
    </span>
  )
}
