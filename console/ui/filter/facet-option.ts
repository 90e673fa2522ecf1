/** One value that a list can be filtered by. */
export interface FacetOption {
  readonly value: string
  readonly label: string
  /** How many rows have it, when the server says. */
  readonly count?: number
}
