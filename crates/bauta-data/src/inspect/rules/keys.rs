//! Names of columns that an intruder can know from elsewhere.

use super::{KindRule, Needs, Rule};
use crate::attribute::Role;
use crate::inspect::Flag;

const fn key(meaning: &'static str, kind: KindRule, needs: Needs, patterns: &'static str) -> Rule {
    Rule {
        meaning,
        patterns,
        except: "",
        needs,
        role: Role::Key,
        kind,
        flag: None,
    }
}

/// Numbers of places and classifications, after all that is more special: a code is no amount.
pub(super) const CODES: &[Rule] = &[
    Rule {
        flag: Some(Flag::Undecided),
        ..key(
            "the number of a firm, a school or a place",
            KindRule::Unordered,
            Needs::Labels,
            "company* firm* employer* establishment* plant workplace branchno office* \
             teacher* interviewer* caseworker* class classroom classe* clinic* ward shop store* \
             entreprise* etablissement* employeur* ecole* service betrieb* \
             unternehmen* arbeitgeber* schule* klinik* empresa* escuela* centro* \
             azienda* impresa* scuola* bedrijf* werkgever* kliniek* escola*",
        )
    },
    Rule {
        flag: Some(Flag::Undecided),
        ..key(
            "a code",
            KindRule::Prefix,
            Needs::Labels,
            "code* *code codes cod codigo* codice* kode* cat category* type* typ group* \
             gruppe* groupe* grupo* gruppo* groep* status* statut* class* klasse* clase* \
             level niveau nivel livello",
        )
    },
];

pub(super) const KEYS: &[Rule] = &[
    key(
        "the year of birth",
        KindRule::Classes,
        Needs::Categories,
        "birthyear yearofbirth yob anneenaissance annais anais geburtsjahr gebjahr \
         anonacimiento annonascita geboortejaar anonascimento",
    ),
    Rule {
        flag: Some(Flag::ExactDate),
        ..key(
            "the date of birth or death",
            KindRule::Natural,
            Needs::Dates,
            "birthdate* dateofbirth dob birthday bday =birth deathdate dateofdeath \
             datenaissance datedenaissance datenais ddn datedeces geburtsdatum gebdatum \
             geburtstag sterbedatum fechanacimiento fechanac datanascita geboortedatum \
             datanascimento nascimento naissance",
        )
    },
    key(
        "a postal code",
        KindRule::Prefix,
        Needs::Codes,
        "zip* *zip postcode* postalcode postal codepostal codpostal cp cpost plz \
         postleitzahl codigopostal cap codiceavviamento pc4 pc6 cep",
    ),
    key(
        "sex or gender",
        KindRule::Unordered,
        Needs::Categories,
        "sex sexe gender* gndr female male genre homme femme geschlecht* sexo genero \
         sesso genere geslacht mujer hombre",
    ),
    key(
        "household size",
        KindRule::Classes,
        Needs::Categories,
        "hsize* hhsize* householdsize* famsize familysize hhmembers npersons npers \
         nbpers* npersonnes taillemenage tailmen haushaltsgroesse haushaltsgrosse \
         hhgroesse hhgrosse tamanohogar tamhogar numpersonas ncomponenti numerocomponenti \
         ampiezzafamiglia huishoudgrootte aantalpersonen tamanhoagregado npessoas",
    ),
    key(
        "the number of children",
        KindRule::Classes,
        Needs::Categories,
        "children* nchild* numchildren kids nkids enfants nbenf* nenf* kinder* \
         anzahlkinder hijos nhijos figli nfigli aantalkinderen filhos nfilhos",
    ),
    key(
        "age",
        KindRule::Classes,
        Needs::Nothing,
        "age ages agecat* agegr* agecl* agerange ageband ageyear* agey trancheage \
         classeage alter alters* edad* grupoedad eta classeeta leeftijd* idade* \
         faixaetaria",
    ),
    key(
        "life in a couple",
        KindRule::Unordered,
        Needs::Categories,
        "couple encouple viecouple vieencouple partner* cohabit* pareja convive* coppia \
         samenwon* conjuge",
    ),
    key(
        "marital status",
        KindRule::Unordered,
        Needs::Categories,
        "marital* married marstat* marst *civil civil* etatmatrimonial matrimonial* \
         statutmarital familienstand famstand estadocivil statocivile burgerlijkestaat \
         burgstaat",
    ),
    key(
        "the place in the household",
        KindRule::Unordered,
        Needs::Categories,
        "relat relation* relhead reltohead lien lienparente lienpr parente* \
         verwandtschaft* stellunghaushalt parentesco parentela relatie",
    ),
    key(
        "education",
        KindRule::Classes,
        Needs::Categories,
        "uni univers* fieldofstudy educ* edu school* degree qual qualif* isced* diplom* dipl niveauetude* etudes \
         bildung* schulabschluss abschluss estudios niveleduc* niveduc* istruzione \
         titolostudio titstu opleiding* escolaridade instrucao habilitacoes",
    ),
    key(
        "occupation",
        KindRule::Prefix,
        Needs::Groups,
        "occup* occ job jobtitle profession* isco* soc metier pcs* csp* beruf* ocupacion \
         oficio profesion occupazione beroep* profissao ocupacao",
    ),
    key(
        "an industry",
        KindRule::Prefix,
        Needs::Groups,
        "industry* nace* naics* isic* sic branch branche* sector* secteur* naf \
         wirtschaftszweig wz rama actividadeconomica settore* ateco* sbi bedrijfstak \
         setor cae",
    ),
    key(
        "the situation at work",
        KindRule::Unordered,
        Needs::Categories,
        "employ* unemploy* empstat* emplstat* labour* labor* lfs workstatus workclass \
         jobstatus retired student activite* statutactivite chomage emploi erwerb* \
         arbeitslos* empleo situacionlaboral lavoro condizioneprofessionale werk werkend \
         werkloos* emprego trabalho",
    ),
    key(
        "town or country",
        KindRule::Classes,
        Needs::Categories,
        "urb* rural* uu tuu tailleuu uniteurbaine degurba stadtland settlement* \
         communitysize habitat stedelijk* gemeindegroesse* gemeindegrosse*",
    ),
    key(
        "a region in a code with levels",
        KindRule::Prefix,
        Needs::Groups,
        "nuts* fips* depcom insee codeinsee codegeo codgeo ags tract censustract \
         blockgroup lau* ine istat codcom",
    ),
    key(
        "a region",
        KindRule::Unordered,
        Needs::Groups,
        "region* regiao regio state statefip province* provinc* county* district* \
         muni* city town village area zone residence dept dep departement* commune* \
         ville canton* kanton* bundesland land kreis* landkreis gemeinde* stadt ort \
         wohnort bezirk ccaa comunidad* departamento ciudad zona comune citta gemeente* \
         stad woonplaats distrito concelho freguesia cidade estado uf",
    ),
    key(
        "nationality or origin",
        KindRule::Unordered,
        Needs::Groups,
        "national* citizen* country* origin* origine* migra* immigr* birthplace \
         placeofbirth birthcountry citoyen* pays* lieunaissance staatsang* herkunft* \
         geburtsland geburtsort nacionalidad pais* cittadinanza nazionalita paese* \
         herkomst nacionalidade naturalidade nativity foreign*",
    ),
    key(
        "an ethnic group",
        KindRule::Unordered,
        Needs::Categories,
        "ethnic* ethnie* race raceth* hisp* raza etnia etnic* raca",
    ),
    key(
        "a language",
        KindRule::Unordered,
        Needs::Categories,
        "language* lang langue* sprache* muttersprache idioma lengua lingua taal*",
    ),
    key(
        "the dwelling",
        KindRule::Unordered,
        Needs::Categories,
        "roof* wall* water* elect* dwelling* housing* tenure ownership toilet* sanitation \
         floor heating fuel logement* statutoccupation wohnung* wohn* vivienda* \
         abitazione woning* habitacao alojamento",
    ),
    key(
        "the number of rooms, cars or other goods",
        KindRule::Classes,
        Needs::Categories,
        "rooms nrooms bedrooms pieces nbpieces zimmer habitaciones stanze kamers car cars \
         vehicle* voiture* auto autos coche* tv",
    ),
    key(
        "the period of the record",
        KindRule::Classes,
        Needs::Categories,
        "year* month* quarter* week* wave* annee* mois* trimestre* semaine vague jahr* \
         monat* quartal* welle ano mes ola anno mese settimana ondata jaar* maand* \
         kwartaal",
    ),
    key(
        "a key",
        KindRule::Unordered,
        Needs::Categories,
        "key keyvar* qi quasi*",
    ),
];
