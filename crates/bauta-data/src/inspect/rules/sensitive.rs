//! Names of columns with content that an intruder wants to learn.

use super::{KindRule, Needs, Rule};
use crate::attribute::Role;

const fn sensitive(meaning: &'static str, needs: Needs, patterns: &'static str) -> Rule {
    Rule {
        meaning,
        patterns,
        except: "",
        needs,
        role: Role::Sensitive,
        kind: KindRule::Natural,
        flag: None,
    }
}

/// Events in a life, before keys: `theft_vehicle` is a theft, not a vehicle.
pub(super) const EVENTS: &[Rule] = &[sensitive(
    "what happened to somebody",
    Needs::Categories,
    "theft* stolen robbery burglar* violence* violent* threat* assault* crime* \
     criminal* victim* offence* offense* convict* arrest* insult* harass* fraud* \
     abuse* accident* vols cambriolage* agression* menace* delit* diebstahl* gewalt* \
     bedroh* opfer* straftat* unfall* robo* violencia* amenaza* delito* furto* \
     rapina* violenza* minacci* reato* vittim* diefstal* geweld* bedreig* \
     slachtoffer* roubo* ameaca* crimin*",
)];

const INCOME: &str = "income* *income inc *inc revenu revenus revenumenage trancherevenu* \
    einkommen* *einkommen ingreso* reddito* inkomen* rendimento* renda*";

pub(super) const SENSITIVE: &[Rule] = &[
    sensitive(
        "belief, opinion or private life",
        Needs::Categories,
        "religio* faith confession* konfession* godsdienst party partei parti partido \
         partito partij vote* voting* politic* politi* tradeunion unionmember* syndicat* \
         gewerkschaft* sindicat* sexuality sexualorientation orientationsexuelle",
    ),
    sensitive(
        "health",
        Needs::Nothing,
        "health* *diagnos* disease* illness* icd* cim10* disab* handicap* hiv* cancer* \
         diabet* depress* medic* treatment* therap* smok* alcohol* drug* blood* \
         cholesterol* hospital* surgery* symptom* pregnan* maladie* sante* traitement* \
         tabac* gesundheit* krank* behinder* behandlung* rauch* salud* enfermedad* \
         discapac* tratamiento* salute* malatti* disabil* gezondheid* ziekte* \
         behandeling* saude* doenca* deficien*",
    ),
    Rule {
        role: Role::Key,
        kind: KindRule::Classes,
        ..sensitive(
            "income in classes, which a neighbour can guess",
            Needs::Classes,
            INCOME,
        )
    },
    sensitive("income", Needs::Numbers, INCOME),
    sensitive(
        "an amount of money",
        Needs::Numbers,
        "salar* wage* earn* pay payment* pension* benefit* allowance* tax* *tax *taxes \
         expend* expens* spending* saving* debt* loan* credit* mortgage* rent rents \
         wealth* asset* capital* interest* dividend* invest* sales* *sales turnover* \
         revenue* *revenue* profit* loss losses cost* price* amount* value* *val budget* \
         donation* contrib* *contrb export exports import imports salaire* traitements \
         impot* depense* epargne* dette* patrimoine* loyer* montant* cout* prix* \
         chiffreaffaires benefice* retraite* lohn* gehalt* steuer* ausgaben* spar* \
         schuld* vermoegen* vermogen* miete* betrag* umsatz* gewinn* kosten* preis* \
         rente* sueldo* impuesto* gasto* ahorro* deuda* patrimonio* alquiler* importe* \
         ventas* coste* precio* stipendi* impost* spesa* spese* risparmi* debit* affitto* \
         fatturato* vendit* prezzo* loon* belasting* uitgave* huur* bedrag* omzet* winst* \
         prijs* despesa* poupanca* divida* vendas* preco* valor*",
    ),
    sensitive(
        "a result or an indicator",
        Needs::Nothing,
        "=ind indic* =index score* result* outcome* target",
    ),
];
