import type { Ref, TextareaHTMLAttributes } from 'react'
import { classes } from './classes.ts'
import { inputClasses } from './control.ts'

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly isMono?: boolean
  readonly ref?: Ref<HTMLTextAreaElement>
}

export function TextArea({ isMono = false, rows = 4, className, ...rest }: TextAreaProps) {
  return (
    <textarea
      autoComplete="off"
      spellCheck={false}
      rows={rows}
      {...rest}
      className={classes(
        inputClasses,
        'h-auto coarse:h-auto resize-y py-2',
        isMono && 'font-mono text-small',
        className,
      )}
    />
  )
}
