//! What cases are made of: cells, tables, plans, parameters, and damage.

pub(crate) mod cells;
pub(crate) mod command_line;
pub(crate) mod condition;
pub(crate) mod damage;
pub(crate) mod hierarchy;
pub(crate) mod json;
pub(crate) mod params;
pub(crate) mod plan;
pub(crate) mod table;
pub(crate) mod totals;
