use std::path::PathBuf;
use std::sync::Arc;

use super::*;
use crate::levels::Levels;
use crate::missing::{MissingCells, MissingRules};
use crate::survey::{SURVEY_RECORDS, SURVEY_SEED};

/// A column of texts, with missing cells by the default rules, as the reader makes it.
fn column(name: &str, texts: &[&str]) -> Column {
    let marks = MissingRules::default().marks();
    let mut levels = Levels::default();
    let mut codes = Vec::new();
    let mut states = Vec::new();
    for text in texts {
        let mark = marks.iter().position(|mark| mark.text == *text);
        states.push(mark.map_or(0, |position| position as u8 + 1));
        codes.push(if mark.is_some() {
            0
        } else {
            levels.insert(text)
        });
    }
    Column::categorical(
        Arc::new(Attribute::undeclared(name)),
        codes,
        Arc::new(levels),
        MissingCells::new(states, marks),
    )
}

fn table(columns: &[(&str, Vec<String>)]) -> Table {
    let n_records = columns.first().map_or(0, |(_, texts)| texts.len());
    let columns = columns
        .iter()
        .map(|(name, texts)| column(name, &texts.iter().map(String::as_str).collect::<Vec<_>>()))
        .collect();
    Table::new(columns, n_records)
}

/// What a file seems to hold whose decimal mark nobody stated.
fn inspect(table: &Table) -> FileProfile {
    super::inspect(table, None)
}

/// The proposal for one column of 100 records made by a formula.
fn proposal(name: &str, text_of: impl Fn(usize) -> String) -> Proposal {
    let profile = inspect(&table(&[(name, (0..100).map(text_of).collect())]));
    profile.columns.into_iter().next().unwrap().proposal
}

fn assert_proposes(name: &str, text_of: impl Fn(usize) -> String, role: Role, kind: Kind) {
    let proposal = proposal(name, text_of);
    assert_eq!(
        (proposal.role, proposal.kind),
        (role, kind),
        "{name}: {proposal:?}"
    );
}

/// Numbers that repeat no pattern of their record: 0 to 9972, all different below 9973 records.
fn scattered(record: usize) -> usize {
    record * 7919 % 9973
}

#[test]
fn direct_identifiers_are_known_by_name_in_seven_languages() {
    let person = |record: usize| format!("person {record}");
    for name in [
        "surname",
        "prénom",
        "Nachname",
        "apellido",
        "cognome",
        "achternaam",
        "sobrenome",
    ] {
        let proposal = proposal(name, person);
        assert_eq!(proposal.role, Role::Identifier, "{name}");
        assert_eq!(proposal.flag, Some(Flag::DirectIdentifier), "{name}");
    }
    for name in [
        "ssn",
        "nir",
        "SteuerID",
        "dni",
        "codice_fiscale",
        "bsn",
        "CPF",
        "phone",
        "IBAN",
    ] {
        let proposal = proposal(name, |record| scattered(record).to_string());
        assert_eq!(proposal.flag, Some(Flag::DirectIdentifier), "{name}");
    }
    for name in [
        "address",
        "adresse",
        "Straße",
        "dirección",
        "indirizzo",
        "straat",
        "endereço",
    ] {
        let proposal = proposal(name, |record| format!("{record} somewhere"));
        assert_eq!(proposal.flag, Some(Flag::DirectIdentifier), "{name}");
    }
}

#[test]
fn direct_identifiers_are_known_by_content() {
    let mail = proposal("v1", |record| format!("x{record}@example.org"));
    assert_eq!(mail.flag, Some(Flag::DirectIdentifier));
    let phone = proposal("v2", |record| format!("+33 1 00 00 {record:04}"));
    assert_eq!(phone.flag, Some(Flag::DirectIdentifier));
    let text = proposal("v3", |record| format!("remark {record}"));
    assert_eq!(
        (text.role, text.flag),
        (Role::Identifier, Some(Flag::FreeText))
    );
    let number = proposal("v4", |record| (record + 500).to_string());
    assert_eq!(
        (number.role, number.flag),
        (Role::Identifier, Some(Flag::UnitNumber))
    );
    let code = proposal("v5", |record| format!("{:06}", scattered(record)));
    assert_eq!(code.role, Role::Identifier);
}

#[test]
fn a_name_is_believed_only_if_the_content_agrees() {
    // French `nombre` is a count, not a name; `region_name` is a region; `covid` is no number.
    assert_proposes(
        "nombre",
        |record| (record % 7).to_string(),
        Role::Key,
        Kind::Ordered,
    );
    let region = |record: usize| format!("region {}", record % 12);
    assert_proposes("region_name", region, Role::Key, Kind::Unordered);
    assert_proposes(
        "covid",
        |record| (record % 2).to_string(),
        Role::Sensitive,
        Kind::Unordered,
    );
    // Water consumption in litres is no sort of water supply.
    let litres = |record: usize| format!("{}.5", scattered(record));
    assert_proposes("water", litres, Role::Sensitive, Kind::Continuous);
    assert_proposes("sex", |_| "1".to_owned(), Role::Other, Kind::Unordered);
}

#[test]
fn a_doubt_releases_nothing_as_it_is() {
    // Names that say nothing, names that content does not bear out, and answers in words.
    for name in ["v17", "Pstatus", "reason", "guardian", "ethnicity", "Mjob"] {
        assert_proposes(
            name,
            |record| format!("answer {}", record % 5),
            Role::Key,
            Kind::Unordered,
        );
    }
    // 160 languages are too many for a table, and still a language.
    let many = |record: usize| format!("language {}", record % 160);
    let profile = inspect(&table(&[("language", (0..800).map(many).collect())]));
    assert_eq!(profile.columns[0].proposal.role, Role::Key);
    assert_eq!(profile.columns[0].proposal.flag, Some(Flag::Undecided));
}

#[test]
fn codes_are_no_amounts() {
    // No code occurs twice, so that nothing but name and digits tells what they are.
    let occupation = |record: usize| (1000 + scattered(record) % 8999).to_string();
    assert_proposes("occupation", occupation, Role::Key, Kind::Hierarchical);
    assert_proposes("v9", occupation, Role::Key, Kind::Hierarchical);
    let company = |record: usize| (scattered(record) / 2 + record % 3).to_string();
    let mut numbers: Vec<String> = (0..98).map(company).collect();
    numbers.extend([company(0), company(1)]);
    let profile = inspect(&table(&[("company", numbers)]));
    let proposal = &profile.columns[0].proposal;
    assert_eq!((proposal.role, proposal.kind), (Role::Key, Kind::Unordered));
    // Years, heights and amounts have equal lengths too, or reach as far, but not both.
    let year = |record: usize| (1920 + record).to_string();
    assert_proposes("v1", year, Role::Identifier, Kind::Unordered);
    let height = |record: usize| (140 + scattered(record) % 61).to_string();
    assert_proposes("v2", height, Role::Sensitive, Kind::Continuous);
    let amount = |record: usize| scattered(record).to_string();
    assert_proposes("v3", amount, Role::Sensitive, Kind::Continuous);
}

#[test]
fn keys_take_the_kind_of_their_content() {
    assert_proposes(
        "Alter",
        |record| (record % 90).to_string(),
        Role::Key,
        Kind::Ordered,
    );
    assert_proposes(
        "age",
        |record| format!("{}.5", record % 90),
        Role::Key,
        Kind::Continuous,
    );
    assert_proposes(
        "SEXE",
        |record| (record % 2 + 1).to_string(),
        Role::Key,
        Kind::Unordered,
    );
    assert_proposes(
        "plz",
        |record| format!("{:05}", record % 40),
        Role::Key,
        Kind::Hierarchical,
    );
    assert_proposes(
        "isco",
        |record| format!("{}", 1000 + record % 30),
        Role::Key,
        Kind::Hierarchical,
    );
    let day = |record: usize| format!("19{:02}-01-29", record % 100);
    assert_proposes("date_of_birth", day, Role::Key, Kind::Ordered);
    let profile = inspect(&table(&[(
        "plz",
        (0..100).map(|at| format!("{:05}", at % 40)).collect(),
    )]));
    let hierarchy = profile.columns[0].attribute().hierarchy;
    assert_eq!(hierarchy, Some(HierarchySpec::Prefix { keep: None }));
}

#[test]
fn money_is_sensitive_and_income_classes_are_keys() {
    let amount = |record: usize| (scattered(record) * 100).to_string();
    for name in [
        "income",
        "Steuern",
        "salaire",
        "gastos",
        "PTOTVAL",
        "total_sales",
        "omzet",
    ] {
        assert_proposes(name, amount, Role::Sensitive, Kind::Continuous);
    }
    let class = |record: usize| (record % 5 + 1).to_string();
    assert_proposes("income", class, Role::Key, Kind::Ordered);
    assert_proposes(
        "diagnosis",
        |record| format!("I{:02}", record % 9),
        Role::Sensitive,
        Kind::Unordered,
    );
}

#[test]
fn a_file_has_one_weight_and_it_is_not_that_of_a_body() {
    let numbers = |factor: usize| {
        (0..100)
            .map(|at| (scattered(at) * factor + 1).to_string())
            .collect()
    };
    let profile = inspect(&table(&[
        ("weight_base", numbers(1)),
        ("weight_final", numbers(2)),
    ]));
    assert_eq!(profile.columns[0].proposal.flag, Some(Flag::OtherWeight));
    assert_eq!(profile.columns[1].proposal.role, Role::Weight);
    let body = inspect(&table(&[("weight", numbers(1)), ("height", numbers(2))]));
    assert_eq!(body.columns[0].proposal.role, Role::Sensitive);
    assert_proposes(
        "birth_weight",
        |record| scattered(record).to_string(),
        Role::Sensitive,
        Kind::Continuous,
    );
    // Record 0 has a weight of zero: no sampling weight can be that.
    let zero = proposal("weight", |record| scattered(record).to_string());
    assert_eq!(
        (zero.role, zero.flag),
        (Role::Sensitive, Some(Flag::OtherWeight))
    );
}

#[test]
fn households_are_ids_that_repeat() {
    let profile = inspect(&table(&[(
        "hhid",
        (0..100).map(|at| (at * 2 / 3).to_string()).collect(),
    )]));
    let household = &profile.columns[0];
    assert_eq!(household.proposal.role, Role::Household);
    assert!(household.signs.contains(&Sign::InRuns));
    let alone = proposal("hhid", |record| scattered(record).to_string());
    assert_eq!(
        (alone.role, alone.flag),
        (Role::Identifier, Some(Flag::UnitNumber))
    );
}

#[test]
fn codes_far_from_all_other_values_are_pointed_out_and_not_shown() {
    let odd = |values: &[i64]| {
        let texts: Vec<String> = (0..100)
            .map(|at| values[at % values.len()].to_string())
            .collect();
        let profile = inspect(&table(&[("v", texts)]));
        profile.columns[0].warnings().count() == 1
    };
    assert!(odd(&[1, 2, 3, 4, 99]), "95 from the others, which span 3");
    assert!(odd(&[1, 2, 3, 98, 99]), "two codes");
    assert!(odd(&[0, 20, 40, 60, 999]));
    assert!(odd(&[0, 1, 2, -9]));
    assert!(!odd(&[10, 40, 70, 95, 99]), "a high age");
    assert!(!odd(&[1, 2, 3, 4, 5]));
    assert!(!odd(&[-20, -9, 3, 40]), "negative numbers are usual here");
}

#[test]
fn a_few_texts_among_numbers_are_pointed_out() {
    let texts = (0..100).map(|at| {
        if at == 7 {
            ".".to_owned()
        } else {
            scattered(at).to_string()
        }
    });
    let profile = inspect(&table(&[("v", texts.collect())]));
    assert_eq!(profile.columns[0].n_not_numbers, 1);
    assert_eq!(profile.columns[0].content, Content::Text);
    assert!(profile.columns[0].signs.contains(&Sign::TextsAmongNumbers));
}

#[test]
fn decimal_marks_are_found_or_told_to_be_unclear() {
    let column = |form: &dyn Fn(usize) -> String| -> Vec<String> { (0..50).map(form).collect() };
    let commas = column(&|at| format!("{},5", scattered(at)));
    let points = column(&|at| format!("{}.5", scattered(at)));
    let thousands = column(&|at| format!("{},{:03}", 1 + at, scattered(at) % 1000));
    let profile = inspect(&table(&[("amount", commas.clone())]));
    assert_eq!(profile.decimal, Some(DecimalMark::Comma));
    assert_eq!(profile.columns[0].content, Content::Decimal);
    // A column of each kind: neither is right for the file.
    let mixed = inspect(&table(&[("amount", commas.clone()), ("v", points.clone())]));
    assert_eq!(mixed.decimal, None);
    let names: Vec<_> = mixed
        .decimal_doubts
        .iter()
        .map(|doubt| doubt.variable.as_deref())
        .collect();
    assert_eq!(names, [Some("v"), Some("amount")]);
    // Alone, thousands may be decimals; beside points they cannot.
    let alone = inspect(&table(&[("pay", thousands.clone())]));
    assert_eq!(alone.decimal, None);
    assert!(
        alone.decimal_doubts[0]
            .hint
            .contains("decimal = \",\" as 1.234")
    );
    let beside = inspect(&table(&[("pay", thousands.clone()), ("v", points)]));
    assert_eq!(beside.decimal, Some(DecimalMark::Point));
    assert_eq!(beside.columns[0].content, Content::Integer);
    assert_eq!(beside.remarks[0].variable.as_deref(), Some("pay"));
    let stated = super::inspect(&table(&[("pay", thousands)]), Some(DecimalMark::Comma));
    assert_eq!(stated.decimal, Some(DecimalMark::Comma));
    assert_eq!(stated.columns[0].content, Content::Decimal);
    // Texts with commas are nobody's doubt.
    let texts = column(&|at| format!("street {at},{at:03}"));
    let address = inspect(&table(&[("address", texts), ("amount", commas)]));
    assert_eq!(address.decimal, Some(DecimalMark::Comma));
}

#[test]
fn counts_leave_missing_cells_out() {
    let texts = ["1", "", "2", "NA", "2"].map(str::to_owned).to_vec();
    let profile = inspect(&table(&[("v", texts)]));
    let column = &profile.columns[0];
    assert_eq!(
        (column.n_distinct, column.n_missing, column.n_unique),
        (2, 2, 1)
    );
    assert!((column.share_unique(5) - 1.0 / 3.0).abs() < 1e-15);
    assert_eq!(column.content, Content::Integer);
}

#[test]
fn numeric_columns_and_empty_tables_have_profiles_too() {
    let attribute = Arc::new(Attribute::new("x", Role::Other, Kind::Continuous));
    let numbers = Column::numeric(
        attribute,
        vec![1.0, 2.5],
        None,
        crate::column::NumberText::default(),
    );
    let profile = inspect(&Table::new(vec![numbers], 2));
    assert_eq!(profile.columns[0].content, Content::Decimal);
    let none = inspect(&table(&[("age", Vec::new()), ("email", Vec::new())]));
    assert_eq!(none.columns[0].content, Content::Empty);
    assert_eq!(none.columns[1].proposal.role, Role::Identifier);
}

#[test]
fn no_profile_shows_a_value() {
    let canary = |record: usize| {
        if record.is_multiple_of(9) {
            "-9999".to_owned()
        } else {
            format!("{}", 70_000 + record % 9)
        }
    };
    for name in ["age", "income", "weight", "id", "zip", "v", "name", "hid"] {
        let profile = inspect(&table(&[(name, (0..100).map(canary).collect())]));
        let column = &profile.columns[0];
        let mut shown = column.proposal.reason.clone();
        shown.extend(column.warnings());
        assert!(
            !shown.contains("9999") && !shown.contains("7000"),
            "{shown}"
        );
    }
}

/// A reference file; `None` where there is none.
fn reference(file: &str) -> Option<Vec<u8>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared")
        .join(file);
    if !path.exists() {
        println!("not run: ../shared is absent");
        return None;
    }
    Some(std::fs::read(path).unwrap())
}

/// A CSV file as the reader gives it without a schema.
fn parse(bytes: &[u8]) -> Table {
    let mut reader = csv::Reader::from_reader(bytes);
    let names = reader.headers().unwrap().clone();
    let mut columns: Vec<(&str, Vec<String>)> =
        names.iter().map(|name| (name, Vec::new())).collect();
    for record in reader.records() {
        for (field, (_, texts)) in record.unwrap().iter().zip(&mut columns) {
            texts.push(field.to_owned());
        }
    }
    table(&columns)
}

fn assert_reference(file: &str, expected: &[(Role, Kind, &str)]) {
    if let Some(bytes) = reference(file) {
        assert_file(&bytes, expected);
    }
}

/// Compares the proposals for a file with one line per role and kind.
fn assert_file(bytes: &[u8], expected: &[(Role, Kind, &str)]) {
    let profile = inspect(&parse(bytes));
    let mut n_expected = 0;
    for (role, kind, names) in expected {
        for name in names.split(' ') {
            n_expected += 1;
            let column = profile
                .columns
                .iter()
                .find(|column| column.name == name)
                .unwrap();
            let Proposal {
                role: got_role,
                kind: got_kind,
                ..
            } = column.proposal;
            assert_eq!(
                (got_role, got_kind),
                (*role, *kind),
                "{name}: {:?}",
                column.proposal
            );
        }
    }
    assert_eq!(n_expected, profile.columns.len());
}

#[test]
fn the_census_file() {
    // AFNLWGT is the final person weight of the Current Population Survey, and its name says so.
    let measured = "AGI EMCONTRB FEDTAX PTOTVAL STATETAX TAXINC POTHVAL INTVAL PEARNVAL FICA \
                    WSALVAL ERNVAL";
    assert_reference(
        "data/census.csv",
        &[
            (Role::Weight, Kind::Continuous, "AFNLWGT"),
            (Role::Sensitive, Kind::Continuous, measured),
        ],
    );
}

#[test]
fn the_household_survey() {
    assert_reference(
        "data/household-survey.csv",
        &[
            (
                Role::Key,
                Kind::Unordered,
                "urbrur roof walls water electcon relat sex hhcivil",
            ),
            (Role::Key, Kind::Ordered, "age"),
            (Role::Sensitive, Kind::Continuous, "expend income savings"),
            (Role::Household, Kind::Unordered, "ori_hid"),
            (Role::Weight, Kind::Continuous, "sampling_weight"),
            (Role::Identifier, Kind::Continuous, "household_weights"),
        ],
    );
}

#[test]
fn the_victimisation_survey() {
    let acts = "theft_housing theft_vehicle theft_violence theft_noviolence phys_violence threat";
    assert_file(
        &crate::survey::survey_csv(SURVEY_RECORDS, SURVEY_SEED),
        &[
            (Role::Identifier, Kind::Unordered, "id"),
            (Role::Key, Kind::Unordered, "gender couple"),
            (Role::Key, Kind::Ordered, "income age uu qual hsize"),
            (Role::Sensitive, Kind::Unordered, acts),
            (Role::Sensitive, Kind::Ordered, "ind"),
            (Role::Identifier, Kind::Continuous, "d_init"),
            (Role::Weight, Kind::Continuous, "d_fin"),
        ],
    );
}

#[test]
fn the_utilities() {
    let measured = "RESREVENUE RESSALES COMREVENUE COMSALES INDREVENUE INDSALES OTHREVENUE \
                    OTHRSALES TOTREVENUE TOTSALES";
    assert_reference(
        "data/eia.csv",
        &[
            (Role::Identifier, Kind::Unordered, "UTILITYID UTILNAME"),
            (Role::Key, Kind::Unordered, "STATE"),
            (Role::Key, Kind::Ordered, "MONTH"),
            (Role::Other, Kind::Unordered, "YEAR"),
            (Role::Sensitive, Kind::Continuous, measured),
        ],
    );
}

#[test]
fn eight_records() {
    assert_reference(
        "data/francdat.csv",
        &[
            (Role::Key, Kind::Unordered, "Key1 Key2 Key3 Key4"),
            (Role::Sensitive, Kind::Continuous, "Num1 Num2 Num3"),
            (Role::Weight, Kind::Continuous, "w"),
        ],
    );
}
