//! Names of columns that say who a unit is, and of those that the survey design needs.

use super::{KindRule, Needs, Rule};
use crate::attribute::Role;
use crate::inspect::Flag;

const fn identifier(meaning: &'static str, needs: Needs, patterns: &'static str) -> Rule {
    Rule {
        meaning,
        patterns,
        except: "",
        needs,
        role: Role::Identifier,
        kind: KindRule::Unordered,
        flag: Some(Flag::DirectIdentifier),
    }
}

/// Body measures, before weights: `birth_weight` is no sampling weight.
pub(super) const BODY: &[Rule] = &[Rule {
    meaning: "a body measure",
    patterns: "birthweight bodyweight weightkg weightlb weightlbs weightpounds weightgrams \
        heightcm height bmi imc poidskg poidsnaissance taillecm koerpergewicht \
        korpergewicht koerpergroesse korpergrosse geburtsgewicht pesokg pesonacer \
        pesonascita geboortegewicht lichaamsgewicht pesonascer estatura altezza",
    except: "",
    needs: Needs::Numbers,
    role: Role::Sensitive,
    kind: KindRule::Natural,
    flag: None,
}];

/// What reaches a unit: addresses, numbers of public registers.
pub(super) const CONTACT: &[Rule] = &[
    identifier(
        "an e-mail address",
        Needs::ManyTexts,
        "email* *email mail mailaddress courriel correo correoelectronico posta \
         postaelettronica",
    ),
    identifier(
        "a telephone number",
        Needs::ManyValues,
        "phone* *phone tel telno telephone* telefon* telefoon* mobile mobil handy \
         handynummer cell cellulare celular movil portable gsm fax",
    ),
    identifier(
        "the number of a public register",
        Needs::ManyValues,
        "ssn socialsecurity* sin nino nin nhs nhsnumber nationalid* nationalinsurance* \
         passport* idcard* taxid taxnumber vatid vatnumber ein driverlicen* drivinglicen* \
         nir nss numsecu securitesociale numerosecu* cni passeport* siren siret \
         immatriculation steuerid steuernummer sozialversicherung* svnr rvnr ausweis* \
         personalausweis* reisepass* kennzeichen krankenversicherung* dni nif nie cif \
         curp rfc pasaporte* matricula codicefiscale codfisc* partitaiva passaporto* \
         tesserasanitaria bsn burgerservice* sofinummer paspoort* kenteken cpf cnpj nis \
         niss cartaocidadao passaporte* licenseplate* licenceplate* plate platenumber mrn \
         patientid patientennummer insurancenumber",
    ),
    identifier(
        "an account or a device",
        Needs::ManyValues,
        "iban bic accountno accountnumber accountid bankaccount numerocompte numcompte \
         konto kontonummer cuenta numerocuenta contocorrente rekening* numeroconta \
         creditcard* cardnumber ip ipaddress mac macaddress imei deviceid url website \
         username login userid",
    ),
    identifier(
        "an address",
        Needs::ManyValues,
        "address* *address addr adresse* adres anschrift* street* strasse* *strasse \
         hausnummer hausnr housenumber rue numerorue voie calle direccion* domicilio via \
         indirizzo* straat* huisnummer rua morada endereco* logradouro",
    ),
    identifier(
        "a place on the map",
        Needs::ManyValues,
        "lat latitude* lon lng longitude* gps* coord* geocode geohash easting northing \
         utm* xcoord* ycoord* breitengrad laengengrad langengrad latitud longitud \
         latitudine longitudine",
    ),
];

const WEIGHT: Rule = Rule {
    meaning: "a sampling weight",
    patterns: "weight* *weight *weights wgt* *wgt wt *wt wts w =wi =wk =dfin =dinit =dk \
               =dweight pond ponder* poids* coefpond gewicht* *gewicht hochr* \
               peso* fexp factorexp* factorexpansion coeffriporto riporto \
               wegingsfactor weeg* pesoamostral expansionfactor grossingfactor raising*",
    except: "kg lb lbs pounds grams body* vehicle* weighted",
    needs: Needs::PositiveNumbers,
    role: Role::Weight,
    kind: KindRule::Continuous,
    flag: None,
};

/// What the design of a survey needs: households, weights, strata, clusters.
pub(super) const DESIGN: &[Rule] = &[
    Rule {
        meaning: "the number of a household",
        patterns: "hid hhid householdid householdno householdnumber householdnum hhno hhnum hhnr \
            hhnumber idhh idhousehold =household =hh idmen idmenage menageid nummenage \
            numeromenage identmen* =menage haushaltsid haushaltid haushaltsnr \
            haushaltsnummer =haushalt idhogar hogarid numhogar =hogar idfamiglia codfam \
            idfam famid familyid =famiglia huishoudid huishoudnr huishoudnummer =huishouden \
            idagregado =agregado",
        except: "",
        needs: Needs::Repeats,
        role: Role::Household,
        kind: KindRule::Unordered,
        flag: None,
    },
    WEIGHT,
    Rule {
        meaning: "a weight, but not every record has a positive number",
        needs: Needs::Numbers,
        role: Role::Sensitive,
        flag: Some(Flag::OtherWeight),
        ..WEIGHT
    },
    Rule {
        meaning: "a sampling stratum",
        patterns: "strat* stratum strata strate* schicht* estrat* strato",
        except: "strategy* strategi*",
        needs: Needs::Groups,
        role: Role::Stratum,
        kind: KindRule::Unordered,
        flag: None,
    },
    Rule {
        meaning: "a cluster of the sampling design, which can name a small area",
        patterns: "psu ssu cluster* enumerationarea =ea eaid grappe* klumpen upm conglomerado \
            grappolo segmento",
        except: "",
        needs: Needs::Groups,
        role: Role::Key,
        kind: KindRule::Unordered,
        flag: Some(Flag::Undecided),
    },
];

/// Names and numbers of units, after all that is more special: `region_name` is a region.
pub(super) const UNITS: &[Rule] = &[
    identifier(
        "the name of a person or a firm",
        Needs::ManyTexts,
        "name* *name surname* firstname* lastname* fullname maidenname initials nom noms \
         prenom* nomprenom raisonsociale vorname* nachname* familienname* firma \
         firmenname nombre* apellido* empresa razonsocial cognome* nome* ditta \
         ragionesociale naam* *naam achternaam voornaam bedrijf sobrenome* apelido* \
         company companyname employer respondent contact",
    ),
    identifier(
        "a patient",
        Needs::ManyValues,
        "patient patients patiente* patientin* patientno patientnr numpatient =pat patno patnr paciente* paziente* \
         pazienti utente",
    ),
    identifier(
        "a doctor, by name",
        Needs::Texts,
        "doctor* physician* medecin* arzt* aerztin* doktor* huisarts",
    ),
    Rule {
        flag: Some(Flag::Undecided),
        role: Role::Key,
        ..identifier(
            "the number of a doctor",
            Needs::Labels,
            "doctor* physician* medecin* arzt* aerztin* doktor* huisarts",
        )
    },
    Rule {
        flag: Some(Flag::FreeText),
        ..identifier(
            "a remark in words",
            Needs::Texts,
            "comment* remark* note notes notiz* memo freetext* text texte verbatim observation* \
             bemerkung* anmerkung* kommentar* remarque* comentario* observacion* \
             commento* nota opmerking*",
        )
    },
    Rule {
        meaning: "the number of a unit",
        patterns: "id *id id* ident* identifi* uuid guid =num =nr =no =n =numero =nummer =number \
            serial* *serial caseno casenum casenumber recno recordno recordnumber =record \
            =case respno respnr personno personnr persnr pid pnr lfdnr lfd matricule \
            nodossier numdossier rownum* rowno =row =seq seqno sequence* folio volgnummer \
            volgnr =key schluessel schlussel fallnummer fallnr aktennummer aktennr aktenzeichen rechnungsnummer \
            rechnungsnr belegnummer vorgangsnummer auftragsnummer kundennummer kundennr mitgliedsnummer \
            versichertennummer versichertennr versicherungsnummer episodeno episodenumber visitno visitnumber \
            admissionno admissionnumber invoiceno invoicenumber customerno customernumber memberno membernumber",
        except: "paid* *paid aid bid covid* grid hybrid kid liquid mid rapid solid valid void \
            acid plaid raid identity* idea* idle* ideal*",
        needs: Needs::ManyValues,
        role: Role::Identifier,
        kind: KindRule::Unordered,
        flag: Some(Flag::UnitNumber),
    },
];
