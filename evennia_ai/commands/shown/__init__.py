"""Data of minds that commands, pages and the JSON API show, and their words as text.

Each function returns plain data; a command shows it as text, a page as HTML, `ai/api/` as JSON.
"""
