import { classes } from './classes.ts'

/** Holds the place of something that is loading. Give it the size of what will come. */
export function Skeleton({ className }: { readonly className?: string }) {
  return (
    <span aria-hidden className={classes('block animate-pulse rounded-control bg-neutral-bg', className)} />
  )
}
