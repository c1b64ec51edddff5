import '@fontsource-variable/inter/wght.css'
import '@mantine/core/styles.layer.css'
import '@mantine/notifications/styles.layer.css'
import '@mantine/spotlight/styles.layer.css'
import './look.css'
import 'all-styles'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { QUERIES } from './kit/queries.ts'
import { LanguageProvider } from './kit/texts.tsx'
import { ROUTER } from './router.tsx'
import { THEME, VARIABLES } from './theme.ts'

/** Style elements that libraries write need the nonce of the page; browsers hide it from everything but its property. */
const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''
Object.assign(globalThis, { __webpack_nonce__: nonce })

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the dashboard')
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={THEME}
      cssVariablesResolver={VARIABLES}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <LanguageProvider>
        <QueryClientProvider client={QUERIES}>
          <Notifications position="bottom-left" limit={3} />
          <RouterProvider router={ROUTER} />
        </QueryClientProvider>
      </LanguageProvider>
    </MantineProvider>
  </StrictMode>,
)
