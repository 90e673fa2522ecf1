import { Eye, EyeOff } from 'lucide-react'
import { type InputHTMLAttributes, type Ref, useState } from 'react'
import { inputClasses } from './control.ts'
import { IconButton } from './icon-button.tsx'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'

interface PasswordInputProps extends InputHTMLAttributes<HTMLInputElement> {
  /** Password managers work only where this is said. */
  readonly autoComplete: 'current-password' | 'new-password'
  readonly ref?: Ref<HTMLInputElement>
}

export function PasswordInput({ className, ...rest }: PasswordInputProps) {
  const t = useText(kitText)
  const [isShown, setShown] = useState(false)
  return (
    <div className="relative">
      <input
        spellCheck={false}
        {...rest}
        type={isShown ? 'text' : 'password'}
        className={`${inputClasses} pr-10 ${className ?? ''}`}
      />
      <IconButton
        label={isShown ? t('hide') : t('show')}
        aria-pressed={isShown}
        icon={isShown ? EyeOff : Eye}
        size="small"
        className="absolute top-1/2 right-1 -translate-y-1/2"
        onClick={() => setShown(!isShown)}
      />
    </div>
  )
}
