import { Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { useMasked } from './mask.ts'

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
