"""Identifies who sends each request, or refuses it.

In: a request, with a session, a proxy's header or a token. Out: the `Person` that acts (read by
`models.access.acting`), or 401, 403 or the way to sign in. `gate` decides; `provider_sign_in` and
`proxy` are the two ways of `auth.mode`. Chapter: docs/architecture.md; for who runs it:
docs/operations/sign-in.md.
"""
