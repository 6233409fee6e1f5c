//! The steps that keywords of a schema take from a value to those within it.

/// A step from a value to one within it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// To the property of this name.
    Property(String),
    /// To the properties that no keyword beside this one names.
    OtherProperties,
    /// To some properties.
    Properties,
    /// To the element at this place.
    Element(usize),
    /// To some elements.
    Elements,
    /// Not known where to.
    Unknown,
}

impl Step {
    /// Whether both may lead to the same value. `is_beside`: both are keywords of one schema.
    pub(super) fn meets(&self, other: &Self, is_beside: bool) -> bool {
        match (self, other) {
            (Self::Property(one), Self::Property(other)) => one == other,
            (Self::Element(one), Self::Element(other)) => one == other,
            (Self::OtherProperties, Self::Property(_) | Self::Properties)
            | (Self::Property(_) | Self::Properties, Self::OtherProperties) => !is_beside,
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            _ => self.is_property() == other.is_property(),
        }
    }

    fn is_property(&self) -> bool {
        matches!(self, Self::Property(_) | Self::OtherProperties | Self::Properties)
    }

    /// Of a keyword that has one schema, or one for each name.
    pub(super) fn of(keyword: &str) -> Self {
        match keyword {
            "additionalProperties" => Self::OtherProperties,
            "patternProperties" | "unevaluatedProperties" => Self::Properties,
            "items" | "additionalItems" | "unevaluatedItems" | "contains" => Self::Elements,
            _ => Self::Unknown,
        }
    }
}
