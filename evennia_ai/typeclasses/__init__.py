"""The body and the mind as Evennia typeclasses; import them from their modules or from `api`."""
