/** Local names of a style sheet: the bundler makes them unique. */
declare module '*.module.css' {
  const names: { readonly [name: string]: string }
  export default names
}

declare module '*.css'

/** Every style sheet of this folder (`src/runtime/page-bundle.ts`). */
declare module 'all-styles'

/** One icon a file. The package's own index would pull in thousands. */
declare module '@tabler/icons-react/dist/esm/icons/*.mjs' {
  import type { Icon } from '@tabler/icons-react'

  const icon: Icon
  export default icon
}
