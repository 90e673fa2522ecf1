import { FileUp } from 'lucide-react'
import { buttonClasses } from '../class-names.ts'
import type { ControlProps } from './fields.tsx'

interface FileInputProps {
  readonly control: ControlProps
  readonly accept: string
  readonly isMultiple?: boolean
  /** What the button says: to choose, or what is chosen. */
  readonly label: string
  readonly onChange: (files: readonly File[]) => void
}

/** Chooses files by a button of the console: a browser labels its own in its own language. */
export function FileInput({ control, accept, isMultiple = false, label, onChange }: FileInputProps) {
  return (
    <label
      className={`${buttonClasses()} max-w-full cursor-pointer justify-self-start has-focus-visible:outline-2 has-focus-visible:outline-ring`}
    >
      <FileUp size={16} aria-hidden className="shrink-0" />
      <span className="truncate">{label}</span>
      <input
        {...control}
        type="file"
        accept={accept}
        multiple={isMultiple}
        className="sr-only"
        onChange={event => {
          onChange([...(event.target.files ?? [])])
          // The same file can be chosen again after it was changed.
          event.target.value = ''
        }}
      />
    </label>
  )
}
