"""Django's pages for staff show and change nothing of what a mind keeps."""

from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from evennia.typeclasses.attributes import AttributeHandler, ModelAttributeBackend
from evennia.typeclasses.tags import Tag, TagHandler
from evennia.utils.create import create_object, create_script

from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts

WORD = "zq00c0ffee"
APPS = ("objects", "scripts", "typeclasses")


class OurAttributes(AttributeHandler):
    _attrtype = "evennia_ai"


class OurTags(TagHandler):
    _tagtype = "evennia_ai"


class AdminPageTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.npc = minds.make_assistant("Mara", location=self.room1)
        self.npc.locks.add("control:id(999);edit:id(999);delete:id(999)")
        self.script = scripts.find(self.npc)
        for one in (self.npc, self.script, self.char1):
            one.attributes.add("colour", "red")
            one.tags.add("plain")
            OurAttributes(one, ModelAttributeBackend).add("p1", WORD, category="journal")
            OurTags(one).add(WORD, category="pulse")
        self.web = Client()
        self.account.is_superuser = self.account.is_staff = self.account2.is_staff = True
        self.account.save()
        self.account2.save()
        rights = Permission.objects.filter(content_type__app_label__in=APPS)
        self.account2.user_permissions.set(rights)

    def comes(self, account):
        self.web.force_login(account)

    def page(self, obj, what="change"):
        kind = "objects_objectdb" if hasattr(obj, "db_location") else "scripts_scriptdb"
        return reverse(f"admin:{kind}_{what}", args=[obj.pk])

    def shown(self, address):
        answer = self.web.get(address)
        self.assertEqual(answer.status_code, 200)
        return answer.content.decode()

    def kept(self, obj):
        own = OurAttributes(obj, ModelAttributeBackend).get("p1", category="journal")
        return own, OurTags(obj).get(WORD, category="pulse")

    def test_what_is_ours_is_in_no_list_of_attributes_or_tags(self):
        self.comes(self.account)
        for one in (self.npc, self.script, self.char1):
            page = self.shown(self.page(one))
            self.assertIn("colour", page)
            self.assertIn("plain", page)
            self.assertNotIn(WORD, page)

    def test_no_page_of_tags_has_ours(self):
        self.comes(self.account)
        self.assertIn("plain", self.shown(reverse("admin:typeclasses_tag_changelist")))
        self.assertNotIn(WORD, self.shown(reverse("admin:typeclasses_tag_changelist")))
        ours = Tag.objects.filter(db_tagtype="evennia_ai").first()
        answer = self.web.get(reverse("admin:typeclasses_tag_change", args=[ours.pk]))
        self.assertEqual(answer.status_code, 302)

    def test_staff_without_rights_on_an_npc_only_look(self):
        self.comes(self.account2)
        for one in (self.npc, self.script):
            self.assertNotIn('name="_save"', self.shown(self.page(one)))
            answer = self.web.post(self.page(one), {"db_lock_storage": "control:all()"})
            self.assertEqual(answer.status_code, 403)
            answer = self.web.post(self.page(one, "delete"), {"post": "yes"})
            self.assertEqual(answer.status_code, 403)
        self.assertTrue(self.npc.pk and self.script.pk)

    def test_nor_do_they_delete_several_at_once(self):
        self.comes(self.account2)
        other = create_script("evennia.scripts.scripts.DefaultScript", key="other")
        for chosen in ([self.script.pk, other.pk], [self.script.pk]):
            self.web.post(
                reverse("admin:scripts_scriptdb_changelist"),
                {"action": "delete_selected", "_selected_action": chosen, "post": "yes"},
            )
            self.assertIsNotNone(scripts.find(self.npc))

    def test_whoever_controls_it_may_and_other_things_are_as_ever(self):
        mug = create_object(key="A mug", location=self.room1)
        self.comes(self.account2)
        self.assertIn('name="_save"', self.shown(self.page(mug)))
        self.npc.locks.add(f"control:pid({self.account2.id})")
        self.assertIn('name="_save"', self.shown(self.page(self.npc)))
        self.assertEqual(
            self.web.post(self.page(self.npc, "delete"), {"post": "yes"}).status_code, 302
        )
