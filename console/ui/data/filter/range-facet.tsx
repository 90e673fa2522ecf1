import { type FormEvent, useState } from 'react'
import { Button } from '../../buttons/buttons.tsx'
import { classes } from '../../class-names.ts'
import { Field, TextInput } from '../../forms/fields.tsx'
import { FacetChip } from './filters.tsx'

interface RangeFacetProps {
  readonly label: string
  readonly presets: ReadonlyArray<{ readonly value: string; readonly label: string }>
  /** The active preset; undefined while an exact range applies. */
  readonly preset: string | undefined
  /** Text of the range, for the chip. */
  readonly chosen: string
  /** Local `yyyy-MM-ddTHH:mm:ss`. */
  readonly from: string
  readonly to: string
  /** The times that the preset currently covers. */
  readonly note: string
  readonly texts: {
    readonly from: string
    readonly to: string
    readonly apply: string
    /** Error when the range is invalid. */
    readonly invalid: string
  }
  readonly onPreset: (preset: string) => void
  /** Returns false when the range is invalid. */
  readonly onExact: (from: string, to: string) => boolean
}

/** Time range filter: a relative preset or two exact times. */
export function RangeFacet(props: RangeFacetProps) {
  const { label, chosen, presets, preset, onPreset } = props
  return (
    <FacetChip label={label} chosen={chosen}>
      {close => (
        <div className="grid sm:grid-cols-[8.5rem_17rem]">
          <ul className="p-1" aria-label={label}>
            {presets.map(option => (
              <li key={option.value}>
                <button
                  type="button"
                  aria-pressed={option.value === preset}
                  onClick={() => {
                    onPreset(option.value)
                    close()
                  }}
                  className={classes(
                    'flex h-8 w-full items-center rounded-control px-2 text-left coarse:h-11',
                    option.value === preset ? 'bg-selected font-medium text-accent' : 'hover:bg-hover',
                  )}
                >
                  {option.label}
                </button>
              </li>
            ))}
          </ul>
          <ExactRange {...props} close={close} />
        </div>
      )}
    </FacetChip>
  )
}

function ExactRange({
  from,
  to,
  note,
  texts,
  onExact,
  close,
}: RangeFacetProps & { readonly close: () => void }) {
  const [typedFrom, setFrom] = useState(from)
  const [typedTo, setTo] = useState(to)
  const [isWrong, setWrong] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (onExact(typedFrom, typedTo)) close()
    else setWrong(true)
  }
  return (
    <form
      noValidate
      className="grid content-start gap-3 border-t border-line p-3 sm:border-t-0 sm:border-l"
      onSubmit={submit}
    >
      <Field label={texts.from}>
        {control => (
          <TextInput
            {...control}
            type="datetime-local"
            step={1}
            value={typedFrom}
            onChange={event => setFrom(event.target.value)}
          />
        )}
      </Field>
      <Field label={texts.to} error={isWrong ? texts.invalid : undefined}>
        {control => (
          <TextInput
            {...control}
            type="datetime-local"
            step={1}
            value={typedTo}
            onChange={event => setTo(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" size="small" className="justify-self-start">
        {texts.apply}
      </Button>
      <p className="text-caption text-muted tabular">{note}</p>
    </form>
  )
}
